import type { Submission } from '../command.ts'
import {
  type ContractFilter,
  LedgerRefusal,
  LedgerUnavailable,
  type Outcome,
  type UserLedger,
} from '../ledger.ts'
import type { Contract } from '../update.ts'
import { type ContractId, type DamlRecord, type DamlValue, templateNameOf } from '../value.ts'
import { activeContract, contractEvents, decode } from './answers.ts'
import type { Commands } from './commands.ts'
import { contractOf } from './from-response.ts'
import type { Participant, ParticipantUser } from './participant.ts'
import { eventsJson, templateNamed } from './request-json.ts'

export interface ParticipantLedgerDeps {
  readonly participant: Participant
  readonly commands: Commands
}

/**
 * The ledger of a participant as one user sees it: only contracts of which the user's party is a
 * stakeholder.
 */
export class ParticipantLedger implements UserLedger {
  readonly #deps: ParticipantLedgerDeps
  readonly #user: ParticipantUser
  readonly #signal: AbortSignal

  constructor(user: ParticipantUser, deps: ParticipantLedgerDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#user = user
    this.#signal = signal
  }

  submit(submission: Submission): Promise<Outcome> {
    return this.#deps.commands.submit(submission, this.#user, this.#signal)
  }

  async contract(contractId: ContractId): Promise<Contract | undefined> {
    const { party, token } = this.#user
    const body = { contractId, eventFormat: eventsJson([party]) }
    const request = { method: 'POST', path: '/v2/events/events-by-contract-id', token, body } as const
    try {
      return await this.#deps.participant.read(request, activeOf, this.#signal)
    } catch (error) {
      if (error instanceof LedgerRefusal && error.status === 404) return undefined
      throw error
    }
  }

  /**
   * Reads the whole list to find the oldest contracts, because Canton's API promises no order.
   */
  async contracts({ template: name, party, where = {} }: ContractFilter, limit: number): Promise<Contract[]> {
    if (party !== undefined && party !== this.#user.party) return []
    const { participant } = this.#deps
    const { token } = this.#user
    const { argument } = templateNamed(name)
    const activeAtOffset = await participant.end(this.#user, this.#signal)
    const eventFormat = eventsJson([this.#user.party], name)
    const pages = participant.list(
      {
        path: '/v2/state/active-contracts',
        token,
        bodyAfter: (last?: ReturnType<typeof elementOf>) => {
          const streamContinuationToken = last && tokenOf(last)
          return { activeAtOffset, eventFormat, ...(last && { streamContinuationToken }) }
        },
        decodeElement: elementOf,
      },
      this.#signal,
    )
    const found: Found[] = []
    for await (const elements of pages) {
      for (const { contractEntry: created } of elements) {
        const contract = contractOf(created, argument)
        if (matches(contract, name, where)) found.push({ contract, offset: created.offset })
      }
      if (found.length > 2 * limit) keepOldest(found, limit)
    }
    keepOldest(found, limit)
    return found.map(({ contract }) => contract)
  }
}

interface Found {
  readonly contract: Contract
  readonly offset: number
}

function keepOldest(found: Found[], limit: number): void {
  found.sort((a, b) => a.offset - b.offset)
  found.splice(limit)
}

function elementOf(element: unknown) {
  return decode(activeContract, element)
}

/** Canton 3.4 gives no token, so only a list of one page can be read from it. */
function tokenOf({ streamContinuationToken: token }: ReturnType<typeof elementOf>): string {
  if (token === undefined)
    throw new LedgerUnavailable('The participant lists more contracts than it can give in one page.')
  return token
}

function activeOf(value: unknown): Contract | undefined {
  const { created, archived } = decode(contractEvents, value)
  if (!created || archived) return undefined
  const { createdEvent } = created
  return contractOf(createdEvent, tryArgument(templateNameOf(createdEvent.templateId)))
}

function tryArgument(template: string) {
  try {
    return templateNamed(template).argument
  } catch {
    return undefined
  }
}

function matches(contract: Contract, name: string, where: Readonly<Record<string, string>>): boolean {
  const { indexed } = templateNamed(name)
  return Object.entries(where).every(([key, wanted]) => {
    const path = indexed[key]
    if (path === undefined) throw new TypeError(`${name} is not looked up by ${key}`)
    return path.reduce<DamlValue | undefined>(memberOf, contract.argument) === wanted
  })
}

function memberOf(value: DamlValue | undefined, member: string): DamlValue | undefined {
  return typeof value === 'object' && value !== null ? (value as DamlRecord)[member] : undefined
}
