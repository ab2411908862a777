"""The mathematics of order, without optimization: directions, labels, dominance, rules."""

from __future__ import annotations

from monoopt.order.attributes import Attributes as Attributes
from monoopt.order.attributes import read_attributes as read_attributes
from monoopt.order.directions import Directions as Directions
from monoopt.order.directions import as_gains as as_gains
from monoopt.order.directions import orient as orient
from monoopt.order.directions import parse_directions as parse_directions
from monoopt.order.dominance import TooManyPairs as TooManyPairs
from monoopt.order.dominance import borders as borders
from monoopt.order.dominance import dominance_pairs as dominance_pairs
from monoopt.order.dominance import extension_bounds as extension_bounds
from monoopt.order.dominance import inconsistent as inconsistent
from monoopt.order.dominance import merge_equal as merge_equal
from monoopt.order.dominance import transitive_reduction as transitive_reduction
from monoopt.order.dominance import violating_pairs as violating_pairs
from monoopt.order.frames import align_columns as align_columns
from monoopt.order.frames import read_table as read_table
from monoopt.order.frames import table_names as table_names
from monoopt.order.labels import OrderedLabels as OrderedLabels
from monoopt.order.labels import read_labels as read_labels
from monoopt.order.ordinal import Loss as Loss
from monoopt.order.ordinal import combine as combine
from monoopt.order.ordinal import crossings as crossings
from monoopt.order.ordinal import keeps_bayes_monotone as keeps_bayes_monotone
from monoopt.order.ordinal import linear_loss as linear_loss
from monoopt.order.ordinal import loss_table as loss_table
from monoopt.order.ordinal import steps as steps
from monoopt.order.ordinal import thresholds as thresholds
from monoopt.order.precision import match_precision as match_precision
from monoopt.order.precision import precision_of as precision_of
from monoopt.order.rules import Condition as Condition
from monoopt.order.rules import Rule as Rule
from monoopt.order.rules import RuleEnsemble as RuleEnsemble
from monoopt.order.rules import simplified as simplified
from monoopt.order.steiner import greatest_above as greatest_above
from monoopt.order.steiner import steiner_graph as steiner_graph
