import { valueAt } from '../../../base/lib/value-at.ts'
import { Refused } from '../daml/refused.ts'
import type { Template } from '../daml/template.ts'
import { conform } from '../daml/type.ts'
import {
  type ContractFilter,
  LedgerRefusal,
  LedgerUnavailable,
  type Outcome,
  type Submission,
  type UserContract,
  type UserLedger,
} from '../ledger.ts'
import type { ContractId, DamlRecord } from '../value.ts'
import { activeContract, contractEvents, decode, MalformedResponse } from './answers.ts'
import type { Commands } from './commands.ts'
import { eventsJson, type Participant, type ParticipantUser, templateNamed } from './participant.ts'

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

  /** The argument of the contract stays as the participant sends it. */
  async contract(contractId: ContractId): Promise<UserContract | undefined> {
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
  async contracts({ template: name, where = {} }: ContractFilter, limit: number): Promise<UserContract[]> {
    const { participant } = this.#deps
    const { party, token } = this.#user
    const template = templateNamed(name)
    const activeAtOffset = await participant.end(this.#user, this.#signal)
    const eventFormat = eventsJson([party], template)
    const pages = participant.list(
      {
        path: '/v2/state/active-contracts',
        token,
        bodyAfter: (last?: Listed) => ({
          activeAtOffset,
          eventFormat,
          ...(last && { streamContinuationToken: tokenOf(last) }),
        }),
        decodeElement,
      },
      this.#signal,
    )
    const found: (UserContract & { readonly offset: number })[] = []
    for await (const elements of pages) {
      for (const { contractEntry } of elements) {
        const { contractId, templateId, offset } = contractEntry
        const argument = typed(template, contractEntry.createArgument)
        if (matches(argument, template, where)) found.push({ contractId, templateId, argument, offset })
      }
      if (found.length > 2 * limit) keepOldest(found, limit)
    }
    keepOldest(found, limit)
    return found
  }
}

type Listed = ReturnType<typeof decodeElement>

function decodeElement(element: unknown) {
  return decode(activeContract, element)
}

function keepOldest(found: { readonly offset: number }[], limit: number): void {
  found.sort((a, b) => a.offset - b.offset)
  found.splice(limit)
}

/** Canton 3.4 gives no token, so only a list of one page can be read from it. */
function tokenOf({ streamContinuationToken: token }: Listed): string {
  if (token === undefined)
    throw new LedgerUnavailable('The participant lists more contracts than it can give in one page.')
  return token
}

function activeOf(value: unknown): UserContract | undefined {
  const { created, archived } = decode(contractEvents, value)
  if (!created || archived) return undefined
  const { contractId, templateId, createArgument: argument } = created.createdEvent
  return { contractId, templateId, argument }
}

function typed({ argument }: Template, value: DamlRecord): DamlRecord {
  try {
    return conform(argument, value)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new MalformedResponse(`The participant sent another value than its type has: ${error.message}`)
  }
}

function matches(argument: DamlRecord, { name, indexed }: Template, where: Readonly<Record<string, string>>) {
  return Object.entries(where).every(([key, wanted]) => {
    const path = indexed[key]
    if (path === undefined) throw new TypeError(`${name} is not looked up by ${key}`)
    return valueAt(argument, path) === wanted
  })
}
