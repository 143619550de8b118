import { hash } from 'node:crypto'
import { z } from 'zod'
import { seededRandom } from '../../base/lib/random.ts'
import { htmlReply, isJson, jsonReply, type Reply } from '../reply.ts'
import { type Ask, defineFault, type Effects } from './fault.ts'
import {
  eachObject,
  exactly,
  type Parsed,
  type ParsedObject,
  parse,
  shuffled,
  stringifyExactly,
  withKeysShuffled,
} from './json-text.ts'

/**
 * Rewrites the body of every JSON reply, also of errors. `rewrite` may throw on a body that another
 * fault has spoiled; the reply then stays as it is.
 */
function rewriting(rewrite: (body: Buffer, ask: Ask) => string | Buffer): Effects {
  return {
    say(reply: Reply, ask) {
      if (!isJson(reply)) return reply
      try {
        return jsonReply(rewrite(reply.body, ask), reply.status)
      } catch {
        return reply
      }
    },
  }
}

/** Changes every JSON object in the body of every JSON reply. */
function changing(
  change: (object: ParsedObject, ask: Ask) => void,
  unchanged: readonly string[] = [],
): Effects {
  return rewriting((body, ask) => {
    const value = parse(body)
    eachObject(value, (object) => change(object, ask), unchanged)
    return stringifyExactly(value)
  })
}

const html = defineFault({
  kind: 'html',
  sentence: 'answers 200 with a page of HTML',
  effects: () => ({ say: () => htmlReply(200, 'Welcome to nginx!') }),
})

function noise(length: number, seed: number): Buffer {
  const random = seededRandom(seed)
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))
}

const garble = defineFault({
  kind: 'garble',
  sentence: 'sends bytes that are no JSON',
  options: {
    as: z
      .enum(['noise', 'utf-8', 'half'])
      .default('noise')
      .describe('random bytes; the honest text with a byte that is no UTF-8; half the honest text'),
  },
  effects: ({ as }) =>
    rewriting((body, { context }) => {
      if (as === 'noise') return noise(body.length, context.index)
      if (as === 'half') return body.subarray(0, Math.floor(body.length / 2))
      const end = body.lastIndexOf('"')
      return Buffer.concat([body.subarray(0, end), Buffer.of(0xff), body.subarray(end)])
    }),
})

const misshapen = defineFault({
  kind: 'misshapen',
  sentence: 'wraps its answer in an object that the API does not know',
  effects: () => rewriting((body) => `{"result":${body}}`),
})

const roundNumber = defineFault({
  kind: 'round-number',
  sentence: 'says numbers that most parsers round, each node others that round to the same',
  effects: () =>
    changing((object, { context: { index } }) => {
      // `JSON.parse` takes 2^53 and 2^53 + 1 for the same number, so a daemon that uses it sees no
      // difference between nodes.
      const revision = exactly(`900719925474099${2 + (index % 2)}`)
      const { payload, voting_threshold: threshold } = object
      if (payload instanceof Object && !Array.isArray(payload)) payload['revision'] = revision
      if (typeof threshold === 'number')
        object['voting_threshold'] = exactly(`${threshold}.00000000000000000${index + 1}`)
      if ('expires_at' in object || 'error' in object) object['revision'] = revision
    }),
})

/**
 * The fault `new-field` changes nothing inside these fields. They have ledger content, or are maps
 * from ids or names, and a newer release of Splice would not add a field there.
 */
const content = [
  'payload',
  'ports',
  'create_arguments',
  'choice_argument',
  'exercise_result',
  'events_by_id',
  'dso_rules_vote_results',
  'open_mining_rounds',
  'issuing_mining_rounds',
  'transfer_commands_by_contract_id',
  'choiceContextData',
  'supportedApis',
]

const newField = defineFault({
  kind: 'new-field',
  sentence: 'runs a newer release, whose objects have a field more, and is honest',
  effects: () =>
    changing((object, { context: { member } }) => {
      object['indexed_by'] = `${member.name}/0.8.0`
    }, content),
})

/** Kinds that no release has, for the kinds in these members. */
const newKindsOf: Readonly<Record<string, string>> = {
  verdict_result: 'VERDICT_RESULT_DEFERRED',
  transferKind: 'scheduled',
  batch_type: 'BatchOfBurns',
}

const newKinds = defineFault({
  kind: 'new-kinds',
  sentence: 'runs a newer release, which has kinds of updates and events that no other has, and is honest',
  options: {
    events: z.boolean().default(true).describe('whether known updates have events of a new kind, too'),
  },
  effects: ({ events: addsEvents }) =>
    changing((object) => {
      const { update_id: id, events_by_id: events, transactions, status } = object
      if (addsEvents && events instanceof Object && !Array.isArray(events)) {
        const eventId = `${id}:99`
        events[eventId] = { event_type: 'fetched_event', event_id: eventId, fetched: { at: [1, null] } }
      }
      const last = Array.isArray(transactions) ? transactions.at(-1) : undefined
      if (Array.isArray(transactions) && last instanceof Object && !Array.isArray(last)) {
        const { update_id, migration_id = 0, record_time } = last
        const update = { update_id, migration_id, record_time, topology: { events: ['new'] } }
        transactions.splice(-1, 1, update as Parsed)
      }
      if (status === 'sent' || status === 'created') object['status'] = 'queued'
      for (const [member, kind] of Object.entries(newKindsOf)) if (member in object) object[member] = kind
    }),
})

const reorder = defineFault({
  kind: 'reorder',
  sentence:
    'prints and sorts otherwise than the others (keys, white space, names, node states), and is honest',
  effects: () => ({
    traits: { collation: 'code-point' },
    ...rewriting((body, { context }) => {
      const random = seededRandom(context.index + 1)
      const value = withKeysShuffled(parse(body), random)
      eachObject(value, (object) => {
        const { sv_node_states: states } = object
        if (Array.isArray(states)) object['sv_node_states'] = shuffled(states, random)
      })
      return JSON.stringify(value, null, context.index % 2 === 0 ? 2 : '\t')
    }),
  }),
})

const retell = defineFault({
  kind: 'retell',
  sentence: 'gives contracts another content under their true ids',
  effects: () =>
    changing(({ payload }, { context: { member } }) => {
      if (payload instanceof Object && !Array.isArray(payload)) payload['toldBy'] = member.name
    }),
})

const ownIds = defineFault({
  kind: 'own-ids',
  sentence:
    'gives what each scan may give by itself: ids of the updates in which contracts came to its migration, offsets, no external hashes and no hashes of views, and is honest',
  options: {
    share: z.number().min(0).max(1).default(1).describe('the share of contracts that came so'),
  },
  effects: ({ share }) =>
    changing((object, { context: { member }, read }) => {
      if ('offset' in object) object['offset'] = hash('sha256', member.name)
      if ('view_hash' in object) object['view_hash'] = ''
      if (read !== 'update-by-hash') delete object['external_transaction_hash']
      const { created_in_update_id: id, contract_id: contractId } = object
      if (typeof id !== 'string' || typeof contractId !== 'string') return
      if (Number.parseInt(hash('sha256', contractId).slice(0, 4), 16) < share * 65_536)
        object['created_in_update_id'] = hash('sha256', `${id} ${member.name}`)
    }),
})

export const bodyFaults = [
  html,
  garble,
  misshapen,
  roundNumber,
  newField,
  newKinds,
  reorder,
  ownIds,
  retell,
] as const
