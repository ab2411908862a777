"""For people: pictures and the one-file report."""
