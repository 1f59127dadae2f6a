// How the score of a result came about, as numbers and bars.
import { h } from './dom.js';

// relevance is how probably a result is what was asked for.
export function relevance(hit) {
  return h('span', { class: 'relevance', title: 'How probably this is what was asked for' },
    hit.weak && h('em', { class: 'weak', title: 'It may have nothing to do with the query' }, 'weak'),
    bar(hit.relevance), h('b', {}, hit.relevance.toFixed(2)));
}

// breakdown is what led to a score: evidence, and what use made of it.
export function breakdown(hit) {
  const e = hit.explain;
  const places = [
    e.nearest_rank && `${ordinal(e.nearest_rank)} by meaning`,
    e.words_rank && `${ordinal(e.words_rank)} by words`,
  ].filter(Boolean).join(', ');
  return h('div', { class: 'breakdown' },
    h('dl', {},
      row('Meaning', e.meaning, e.meaning, 'closeness to the question; 1 is an answer'),
      row('Words', e.entity_words, e.entity_words, 'share of its words in the whole memory, rare ones count more'),
      row('Words at one place', e.passage_words, e.passage_words, 'the same in its best part'),
      row('Evidence', e.evidence, e.evidence, 'their weighed sum'),
      !e.exact_name && row('Lead', e.gap, e.gap, 'how much more evidence than the best other; with the evidence it makes the relevance'),
      row('Importance', hit.scoring.importance, hit.scoring.importance, 'by accesses and relations'),
      row('Recency', hit.scoring.temporal_factor, hit.scoring.temporal_factor, 'fades since the last access'),
      row('Used together', hit.scoring.cooc_boost / (1 + hit.scoring.cooc_boost), hit.scoring.cooc_boost, 'with other results'),
      row('Use', null, `× ${e.use_factor.toFixed(3)}`, 'what use multiplies the evidence by'),
      row('Score', hit.limbic_score, hit.limbic_score, 'evidence × use: decides the order'),
      hit.distance !== undefined && row('Distance', hit.distance, hit.distance, 'cosine, of the vectors: smaller is nearer')),
    h('p', {}, e.exact_name ? 'The query is its name: it comes first. ' : '', places ? `${places}.` : ''));
}

function row(name, share, value, what) {
  return [
    h('dt', { title: what }, name),
    h('dd', { title: what }, share !== null && bar(share), h('span', {}, typeof value === 'number' ? value.toFixed(2) : value)),
  ];
}

// bar shows a share of 1.
function bar(share) {
  const fill = h('i', {});
  fill.style.inlineSize = `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`;
  return h('span', { class: 'meter', 'aria-hidden': 'true' }, fill);
}

function ordinal(n) {
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(n);
  return n + { one: 'st', two: 'nd', few: 'rd', other: 'th' }[rule];
}
