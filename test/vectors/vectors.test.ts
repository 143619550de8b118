import { describe, expect, test } from 'vitest'
import { canonicalJson, MisshapenJson, parseJson } from '../../src/base/lib/canonical-json.ts'
import { countOf } from '../../src/base/lib/threshold.ts'
import { longestPrefix } from '../../src/core/quorum/history.ts'
import { Plan } from '../../src/core/quorum/plan.ts'
import { decide, rules, situationOf } from '../../src/core/quorum/rules.ts'
import { anchorsOf, proseOf } from '../docs/markdown.ts'
import { type Folder, formats, ruleAnchors, type Vector, vectorsOf } from './format.ts'
import { NamedElectorate } from './reading.ts'

describe('decisions', () => {
  for (const { sentence, vector } of vectorsOf('decisions')) {
    test(sentence, () => {
      const voting = new NamedElectorate(vector)
      const verdict = decide(voting.electorate, voting.heard(vector.replies), policyOf(vector))
      if (vector.expect === 'wait') expect(verdict).toBeUndefined()
      else expect(verdict && voting.verdict(verdict)).toEqual(withRule(vector.expect))
    })
  }
})

describe('plans', () => {
  for (const { sentence, vector } of vectorsOf('plans')) {
    test(sentence, () => {
      const voting = new NamedElectorate(vector)
      const order = vector.order.map((name) => voting.voter(name))
      const { fanout, spare } = vector
      const plan = new Plan(voting.electorate, policyOf(vector), { fanout, order, spare })
      for (const { on, expect: expected } of vector.script) {
        const actions = voting.tell(plan, on)
        expect(actions.map((action) => voting.action(action))).toEqual(expected.map(withRuleInside))
      }
    })
  }
})

describe('prefixes', () => {
  for (const { sentence, vector } of vectorsOf('prefixes')) {
    test(sentence, () => {
      const voting = new NamedElectorate(vector)
      const histories = voting.electorate.voters.map(({ names }) =>
        vector.histories[names[0] as string]?.map(([moment, vote]) => ({ moment, vote })),
      )
      const { length, voters } = longestPrefix(voting.electorate, histories)
      expect({ length, by: voting.names(voters) }).toEqual(vector.expect)
    })
  }
})

describe('thresholds', () => {
  for (const { sentence, vector } of vectorsOf('thresholds')) {
    test(sentence, () => {
      const rows = vector.rows.map(({ n }) => ({
        n,
        f: countOf('f+1', n).f,
        'f+1': countOf('f+1', n).threshold,
        '2f+1': countOf('2f+1', n).threshold,
      }))
      expect(rows).toEqual(vector.rows)
    })
  }
})

describe('json', () => {
  for (const { sentence, vector } of vectorsOf('json')) {
    test(sentence, () => {
      const bodies = vector.texts.map((text) =>
        typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.hex, 'hex'),
      )
      if (vector.are === 'misshapen') {
        for (const body of bodies) expect(() => parseJson(body)).toThrow(MisshapenJson)
        return
      }
      const distinct = new Set(bodies.map((body) => canonicalJson(parseJson(body))))
      expect(distinct.size).toBe(vector.are === 'equal' ? 1 : bodies.length)
    })
  }
})

const everyVector = (Object.keys(formats) as Folder[]).flatMap((folder) =>
  vectorsOf(folder).map((file) => ({ ...file, folder })),
)

const ruleBook = anchorsOf(proseOf('docs/quorum.md'))

test.each(ruleAnchors)('the rule %s is in the rule book, and has a vector', (anchor) => {
  expect(ruleBook.has(anchor)).toBe(true)
  expect(everyVector.filter(({ vector }) => vector.quorum.includes(anchor))).not.toEqual([])
})

test.each(rules)('a vector reaches the row: $name', ({ name }) => {
  const reached = vectorsOf('decisions').map(({ vector }) => {
    const { electorate, heard } = heardIn(vector)
    const situation = situationOf(electorate, heard, policyOf(vector))
    return rules.find((rule) => rule.when(situation))?.name
  })
  expect(reached).toContain(name)
})

test('a rule that a vector names is a row of the table', () => {
  const named = vectorsOf('decisions').flatMap(({ vector }) =>
    vector.expect === 'wait' || vector.expect.rule === undefined ? [] : [vector.expect.rule],
  )
  expect(named).not.toEqual([])
  expect(rules.map((rule) => rule.name)).toEqual(expect.arrayContaining(named))
})

function heardIn(vector: Vector<'decisions'>) {
  const voting = new NamedElectorate(vector)
  return { electorate: voting.electorate, heard: voting.heard(vector.replies) }
}

function policyOf({ agree, patient, provable }: Pick<Vector<'decisions'>, 'agree' | 'patient' | 'provable'>) {
  return { agree, patient, provable }
}

/** If the vector names no rule, a verdict by any rule matches. */
function withRule<T extends { readonly rule?: string | undefined }>(verdict: T): unknown {
  return { ...verdict, rule: verdict.rule ?? expect.any(String) }
}

function withRuleInside(action: Vector<'plans'>['script'][number]['expect'][number]): unknown {
  return typeof action === 'object' && 'settle' in action ? { settle: withRule(action.settle) } : action
}
