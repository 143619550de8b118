export interface Selected {
  readonly metric: string
  readonly matchers: readonly Matcher[]
}

export interface Matcher {
  readonly label: string
  readonly operator: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

const words = new Set(
  `and or unless on ignoring by without group_left group_right bool offset
  sum min max avg count group topk rate increase last_over_time absent time histogram_quantile`.split(/\s+/),
)

/** A function of PromQL that `words` lacks would count as a metric. */
export function selectedIn(expr: string): readonly Selected[] {
  const bare = expr
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right) \([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
  const selected = bare.matchAll(/([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})?/g)
  return [...withoutStrings(selected)].map(([, metric = '', inside = '']) => ({
    metric,
    matchers: matchersIn(inside),
  }))
}

function* withoutStrings(found: Iterable<RegExpExecArray>): Iterable<RegExpExecArray> {
  for (const match of found) if (!words.has(match[1] ?? '')) yield match
}

function matchersIn(inside: string): readonly Matcher[] {
  return [...inside.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label = '', operator, value = '']) => ({
    label,
    operator: operator as Matcher['operator'],
    value,
  }))
}
