import type { Submission } from '../command.ts'
import { type ContractFilter, LedgerRefusal, type Outcome, type UserLedger } from '../ledger.ts'
import type { Contract } from '../update.ts'
import { type ContractId, type DamlRecord, type DamlValue, type Party, templateNameOf } from '../value.ts'
import { type EventFormat, tryReference } from '../visibility/format.ts'
import { activeStream } from './active-contracts.ts'
import { contractEvents, decode } from './answers.ts'
import type { Commands } from './commands.ts'
import { contractOf } from './from-response.ts'
import { endOf, type Participant } from './participant.ts'
import { eventFormatJson, qualified, templateNamed } from './request-json.ts'
import type { Credentials } from './requests.ts'

export interface ParticipantLedgerDeps {
  readonly participant: Participant
  readonly commands: Commands
}

export interface ParticipantUser extends Credentials {
  readonly party: Party
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
    const eventFormat = eventFormatJson(this.#format(undefined))
    const body = { contractId, eventFormat }
    const path = '/v2/events/events-by-contract-id'
    try {
      return await this.#deps.participant.read(
        { method: 'POST', path, token: this.#user.token, body },
        activeOf,
        this.#signal,
      )
    } catch (error) {
      if (error instanceof LedgerRefusal && error.status === 404) return undefined
      throw error
    }
  }

  /**
   * Reads the whole stream to find the oldest contracts, because Canton's API promises no order.
   */
  async contracts({ template: name, party, where = {} }: ContractFilter, limit: number): Promise<Contract[]> {
    if (party !== undefined && party !== this.#user.party) return []
    const { participant } = this.#deps
    const { token } = this.#user
    const { argument } = templateNamed(name)
    const end = { method: 'GET', path: '/v2/state/ledger-end', token } as const
    const { offset: activeAtOffset } = await participant.read(end, endOf, this.#signal)
    const request = { activeAtOffset, format: this.#format(name), streamContinuationToken: undefined }
    const found: Found[] = []
    for await (const elements of activeStream(participant, request, this.#user, this.#signal)) {
      for (const { created, offset } of elements) {
        const contract = contractOf(created, argument)
        if (matches(contract, name, where)) found.push({ contract, offset })
      }
      if (found.length > 2 * limit) keepOldest(found, limit)
    }
    keepOldest(found, limit)
    return found.map(({ contract }) => contract)
  }

  #format(template: string | undefined): EventFormat {
    const templateId = template === undefined ? undefined : tryReference(qualified(template))
    const filter =
      templateId === undefined
        ? ({ kind: 'wildcard', includeCreatedEventBlob: false } as const)
        : ({ kind: 'template', templateId, includeCreatedEventBlob: false } as const)
    return {
      filtersByParty: new Map([[this.#user.party, { cumulative: [filter] }]]),
      filtersForAnyParty: undefined,
      verbose: false,
    }
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
