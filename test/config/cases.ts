import { parse } from 'yaml'
import { remote, written } from './config.ts'

export interface Case {
  readonly given: object
  readonly said: readonly string[]
}

/** Cases by the name of the rule that says something to each, or nothing. */
type Cases = Readonly<Record<string, readonly Case[]>>

/** A case begins with these options. Its own options come on top. */
const bases: Readonly<Record<string, object>> = {
  localnet: {},
  remote,
  custom: written(
    { 'scanClient.scanType': 'bft-custom', 'scanClient.svNames': ['A', 'B', 'C', 'D'] },
    remote,
  ),
  keyed: written(
    { 'auth.jwksUrl': 'https://keys.example/jwks.json', 'auth.audience': 'https://proxy.example' },
    remote,
  ),
  thirteen: {
    network: 'remote',
    scanClient: { seedUrls: Array.from({ length: 13 }, (_, index) => `https://sv-${index}.example`) },
  },
}

/** Reads rules, below each its cases, and below each case the sentences that the rule says. */
export function casesIn(text: string): Cases {
  const cases: Record<string, { given: object; said: string[] }[]> = {}
  let ofRule: (typeof cases)[string] = []
  for (const line of text.trim().split('\n')) {
    const [, indent = '', words = ''] = /^( *)(.*)$/.exec(line) ?? []
    if (indent.length === 0) {
      ofRule = []
      cases[words] = ofRule
    } else if (indent.length === 2) {
      const [, base = '', options = ''] = /^(\w+) ?(.*)$/.exec(words) ?? []
      ofRule.push({ given: written(parse(`{${options}}`), bases[base]), said: [] })
    } else ofRule.at(-1)?.said.push(words)
  }
  return cases
}
