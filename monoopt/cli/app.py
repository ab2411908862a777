"""The commands in one place, and what their errors mean to a shell."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from monoopt.cli import output
from monoopt.cli.cluster import cluster
from monoopt.cli.demo import demo
from monoopt.cli.explain import explain
from monoopt.cli.learn import fit, predict
from monoopt.cli.rank import rank
from monoopt.cli.repair import repair
from monoopt.cli.solve import solve, solvers
from monoopt.cli.verify import verify
from monoopt.errors import (
    CertificateError,
    DataError,
    DataWarning,
    FormulationError,
    MonooptError,
    OptionError,
    SolveError,
    SolverNotFound,
    TimeLimitError,
    UnsupportedProgram,
)

TYPER_USAGE = 2
"""How typer itself leaves after a wrong option."""

EPILOG = """\
**Try it:** `monoopt demo`

`monoopt repair data.csv --target grade > repaired.csv`

`monoopt fit data.csv --target grade --order low,medium,high --down debt > rules.json`

`monoopt predict rules.json new.csv --intervals > answers.csv`

`monoopt explain rules.json new.csv --row 3 --reach high`

`monoopt verify rules.json new.csv`

`monoopt rank data.csv --id country --up gdp,leb --down imr --intervals 500 > ranking.csv`

`monoopt cluster data.csv --id object > clusters.csv`

`monoopt solve program.lp --solver highs,clarabel --compare`

Standard output carries data only (CSV, or JSON with --json), standard error the words; `-` is standard input.
Exit codes: 0 fine, 1 usage, 2 data (every bad cell listed), 3 verification failed or a proof missing, 4 infeasible or
unbounded, 5 limit reached, 6 solver missing.
"""


class Commands(TyperGroup):
    """The command group, leaving with monoopt's exit codes instead of tracebacks."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command; errors become messages on standard error and an exit code."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", DataWarning)
            warnings.showwarning = lambda message, *rest, **named: output.log(f"warning: {message}", style="yellow")
            try:
                return super().main(*args, **kwargs)
            except SystemExit as stop:
                if isinstance(stop.__context__, BrokenPipeError):  # typer makes 1 of it
                    raise SystemExit(output.FINE) from None
                raise SystemExit(output.USAGE if stop.code == TYPER_USAGE else stop.code) from None
            except MonooptError as error:
                output.log_error(error)
                raise SystemExit(exit_code(error)) from None
            except BrokenPipeError:  # the reader of our output has seen enough
                _forget_output()
                raise SystemExit(output.FINE) from None
            except OSError as error:  # a full disk, for example
                _forget_output()
                raise _unwritten(error) from None
            except Exception:
                traceback.print_exc()
                output.log("monoopt: this is a fault of monoopt itself; please report the lines above", style="red")
                raise SystemExit(output.INTERNAL) from None


def exit_code(error: MonooptError) -> int:
    """Return the exit code that stands for an error."""
    match error:
        case CertificateError():
            return output.UNVERIFIED
        case SolverNotFound() | UnsupportedProgram():
            return output.NO_SOLVER
        case TimeLimitError():
            return output.LIMIT_REACHED
        case SolveError():
            return output.UNVERIFIED if error.solution is None else output.code_of(error.solution.status)
        case DataError() | FormulationError():
            return output.BAD_DATA
        case OptionError():
            return output.USAGE
    return output.USAGE


app = typer.Typer(
    name="monoopt",
    cls=Commands,
    help="Monotone learning and ranking as explicit optimization programs, every answer proved.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, repair, fit, predict, explain, verify, rank, cluster, solvers, solve):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        from monoopt import __version__

        typer.echo(f"monoopt {__version__}")
        raise typer.Exit()


@app.callback()
def start(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show it and leave."),
) -> None:
    """Monotone learning and ranking as explicit optimization programs, every answer proved."""


@contextlib.contextmanager
def data_only_stdout() -> Iterator[None]:
    """Keep standard output for data: what a library writes to file descriptor 1 goes to standard error."""
    ours = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = open(ours, "w", encoding="utf-8", newline="")
    try:
        yield
    finally:
        try:
            sys.stdout.close()
        except BrokenPipeError:
            pass
        except OSError as error:
            raise _unwritten(error) from None


def _forget_output() -> None:
    """Send what is left of standard output nowhere, so that closing it is no error."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unwritten(error: OSError) -> SystemExit:
    """Say that an answer could not be written."""
    output.log(f"error: can't write the answer: {error.strerror or error}", style="red")
    return SystemExit(output.USAGE)


def run() -> None:
    """Run the command line in a process of its own."""
    with data_only_stdout():
        app(prog_name="monoopt")
