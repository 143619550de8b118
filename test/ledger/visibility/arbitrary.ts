import fc from 'fast-check'
import type { Contract } from '../../../src/ledger/update.ts'
import type { CumulativeFilter, EventFormat, Filters } from '../../../src/ledger/visibility/format.ts'
import type { ReadRights } from '../../../src/ledger/visibility/rights.ts'
import { type Action, contractOf, contractTypes, reference, transaction } from './ledger.ts'

const parties = ['a', 'b', 'c', 'd']
export const someParty = fc.constantFrom(...parties)
const someParties = fc.subarray(parties)
const contractShape = fc.record({
  type: fc.constantFrom(...contractTypes),
  signatories: fc.subarray(parties, { minLength: 1, maxLength: 2 }),
  observers: fc.subarray(parties, { maxLength: 2 }),
})

/**
 * A planned action. `target` is a number, because the earlier actions decide which contracts are active at the time of
 * the action.
 */
type Plan =
  | {
      readonly kind: 'create'
      readonly shape: typeof contractShape extends fc.Arbitrary<infer T> ? T : never
    }
  | {
      readonly kind: 'exercise'
      readonly target: number
      readonly consuming: boolean
      readonly actors: readonly string[]
      readonly consequences: readonly Plan[]
    }

const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.oneof(
    { maxDepth: 3, depthSize: 'medium' },
    fc.record({ kind: fc.constant('create' as const), shape: contractShape }),
    fc.record({
      kind: fc.constant('exercise' as const),
      target: fc.nat(5),
      consuming: fc.boolean(),
      actors: fc.subarray(parties, { minLength: 1, maxLength: 2 }),
      consequences: fc.array(tie('plan'), { maxLength: 3 }),
    }),
  ),
}))

/** Turns plans into actions. No action uses a contract before its creation or after its archival. */
function actionsOf(plans: readonly Plan[], older: readonly Contract[]): readonly Action[] {
  return carriedOut(plans, { contracts: [...older], created: 0 })
}

interface Pool {
  readonly contracts: Contract[]
  created: number
}

function carriedOut(plans: readonly Plan[], pool: Pool): readonly Action[] {
  const { contracts } = pool
  const carryOut = (one: Plan): Action[] => {
    if (one.kind === 'create') {
      const contract = contractNamed(`new-${pool.created++}`, one.shape)
      contracts.push(contract)
      return [{ kind: 'create', contract }]
    }
    const at = one.target % Math.max(1, contracts.length)
    const contract = contracts[at]
    if (contract === undefined) return one.consequences.flatMap(carryOut)
    const { consuming, actors } = one
    if (consuming) contracts.splice(at, 1)
    return [
      { kind: 'exercise', contract, consuming, actors, consequences: one.consequences.flatMap(carryOut) },
    ]
  }
  return plans.flatMap(carryOut)
}

function contractNamed(
  contractId: string,
  { type, signatories, observers }: Extract<Plan, { kind: 'create' }>['shape'],
): Contract {
  const others = observers.filter((one) => !signatories.includes(one))
  return contractOf(contractId, type, signatories, others)
}

const someContracts = fc
  .array(contractShape, { maxLength: 3 })
  .map((shapes) => shapes.map((shape, index) => contractNamed(`old-${index}`, shape)))

export const someContract = contractShape.map((shape) => contractNamed('one', shape))

export const someTransaction = fc
  .record({ older: someContracts, plans: fc.array(plan, { minLength: 1, maxLength: 3 }), actAs: someParties })
  .map(({ older, plans, actAs }) => {
    const actions = actionsOf(plans, older)
    return { actions, transaction: transaction(actions, actAs.join('')) }
  })

const someFilter: fc.Arbitrary<CumulativeFilter> = fc.oneof(
  fc.constant({ kind: 'empty' as const }),
  fc.record({ kind: fc.constant('wildcard' as const), includeCreatedEventBlob: fc.boolean() }),
  fc.record({
    kind: fc.constant('template' as const),
    templateId: fc
      .constantFrom(
        '#alpha:Main:House',
        '#alpha:Main:Boat',
        '#beta:Main:House',
        `${'2'.repeat(64)}:Main:House`,
        '#none:Main:House',
      )
      .map(reference),
    includeCreatedEventBlob: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('interface' as const),
    interfaceId: fc
      .constantFrom('#api:Api:Owned', '#api:Api:Sailing', '#api:Api:Unused', `${'4'.repeat(64)}:Api:Owned`)
      .map(reference),
    includeInterfaceView: fc.boolean(),
    includeCreatedEventBlob: fc.boolean(),
  }),
)

const someFilters: fc.Arbitrary<Filters> = fc.record({ cumulative: fc.array(someFilter, { maxLength: 3 }) })

export const someEvents: fc.Arbitrary<EventFormat> = fc.record({
  filtersByParty: fc
    .array(fc.tuple(fc.constantFrom(...parties, 'stranger'), someFilters), { maxLength: 4 })
    .map((entries) => new Map(entries)),
  filtersForAnyParty: fc.option(someFilters, { nil: undefined, freq: 2 }),
  verbose: fc.boolean(),
})

export const someRights: fc.Arbitrary<ReadRights> = fc.record({
  readAs: someParties.map((those) => new Set(those)),
  readAsAnyParty: fc.boolean(),
})

export const someShape = fc.constantFrom('ACS_DELTA' as const, 'LEDGER_EFFECTS' as const)
export const someTopology = fc.option(fc.subarray([...parties, 'stranger']), { nil: undefined })
