//! The links of a chain, found again for the one deduction that is explained.

use super::net::{Net, bits, common, first};
use super::words;
use crate::logic::cell_set::CandidateSet;
use crate::logic::deduction::{Link, Pattern};
use crate::logic::technique::Technique;

/// A node, and whether it is on.
type Statement = (usize, bool);

/// Returns the pattern of a chain from a statement to its contrary.
pub(crate) fn chain<const W: usize>(net: &Net<W>, technique: Technique, node: usize, on: bool) -> Pattern {
    let way = if on { way_off(net, node, node) } else { way_round(net, node) };
    pattern(technique, Vec::new(), links(net, &way))
}

/// Returns the pattern of a cycle: nodes on and off in turn.
pub(crate) fn cycle<const W: usize>(net: &Net<W>, technique: Technique, ring: &[usize]) -> Pattern {
    let round = ring.iter().chain(&ring[..1]).enumerate().map(|(at, &node)| (node, at % 2 == 0));
    pattern(technique, Vec::new(), links(net, &round.collect::<Vec<_>>()))
}

/// Returns the pattern of chains from some nodes, all "on", to one statement.
pub(crate) fn chains<const W: usize>(
    net: &Net<W>,
    technique: Technique,
    houses: Vec<usize>,
    starts: &[usize],
    (goal, on): Statement,
) -> Pattern {
    let way = |&start: &usize| if on { way_on(net, start, goal) } else { way_off(net, start, goal) };
    pattern(technique, houses, starts.iter().flat_map(|start| links(net, &way(start))).collect())
}

fn pattern(technique: Technique, houses: Vec<usize>, links: Vec<Link>) -> Pattern {
    let mut candidates = CandidateSet::EMPTY;
    for link in &links {
        candidates.insert(link.from.0, link.from.1);
        candidates.insert(link.to.0, link.to.1);
    }
    let mut pattern = Pattern { houses, candidates, links, reason: String::new() };
    pattern.reason = words::reason(technique, &pattern);
    pattern
}

fn links<const W: usize>(net: &Net<W>, way: &[Statement]) -> Vec<Link> {
    let statement = |(node, on): Statement| (net.nodes[node].0, net.nodes[node].1, on);
    way.windows(2).map(|pair| Link { from: statement(pair[0]), to: statement(pair[1]) }).collect()
}

/// Returns a shortest way from an "on" to an "off".
fn way_off<const W: usize>(net: &Net<W>, start: usize, goal: usize) -> Vec<Statement> {
    let level = net.level_off(start, goal);
    let mut way = steps(net, start, level, |node| net.level_off(node, goal));
    way.push((goal, false));
    way
}

/// Returns a shortest way from an "on" to an "on".
fn way_on<const W: usize>(net: &Net<W>, start: usize, goal: usize) -> Vec<Statement> {
    steps(net, start, net.level_on(start, goal), |node| net.level_on(node, goal))
}

/// Returns a shortest way from an "off" to the same node "on".
fn way_round<const W: usize>(net: &Net<W>, node: usize) -> Vec<Statement> {
    let nexts = bits(&net.strong[node]).filter(|&next| net.level_on(next, node).is_some());
    let next = nexts.min_by_key(|&next| net.level_on(next, node)).unwrap_or(node);
    let mut way = vec![(node, false)];
    way.extend(way_on(net, next, node));
    way
}

/// Returns the way of steps along which the level falls to 0.
fn steps<const W: usize>(
    net: &Net<W>,
    start: usize,
    level: Option<usize>,
    level_of: impl Fn(usize) -> Option<usize>,
) -> Vec<Statement> {
    let mut way = vec![(start, true)];
    let mut at = start;
    for level in (0..level.unwrap_or(0)).rev() {
        let nearer = |&next: &usize| level_of(next) == Some(level);
        let offs = bits(&common(&net.weak[at], &first(net.linked)));
        let step =
            offs.into_iter().find_map(|off| bits(&net.strong[off]).find(nearer).map(|next| (off, next)));
        let Some((off, next)) = step else { break };
        way.extend([(off, false), (next, true)]);
        at = next;
    }
    way
}
