import type { Clock } from '../../../base/lib/clock.ts'
import { templates } from '../daml/splice/templates.ts'
import type { Template } from '../daml/template.ts'
import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts'
import type { Party } from '../value.ts'
import {
  answered,
  decode,
  isTemporary,
  ledgerEnd,
  MalformedResponse,
  tooManyElements,
  user,
} from './answers.ts'
import { type ApiRequest, type JsonApi, TooLarge } from './json-api.ts'
import { Tries } from './retry.ts'

/** The participant's user who makes a call. */
export interface Credentials {
  readonly userId: string
  /** The bearer token. Undefined if the participant checks no tokens. */
  readonly token: string | undefined
}

export interface ParticipantUser extends Credentials {
  readonly party: Party
}

interface ListRequest<T> extends Pick<ApiRequest, 'path' | 'token'> {
  /** Makes the body of the request for the elements after `last`. */
  bodyAfter(last: T | undefined): unknown
  decodeElement(element: unknown): T
}

const mostTries = 4
/** The participant's default limit of elements in a list. A participant may have a lower one. */
const fullPage = 200
const mostPages = 200

export class Participant {
  readonly api: JsonApi
  readonly clock: Clock

  constructor(api: JsonApi, clock: Clock) {
    this.api = api
    this.clock = clock
  }

  /**
   * Repeats a read that fails for a temporary reason (`isTemporary`), such as a response for which
   * `decodeValue` throws `MalformedResponse`.
   * @throws LedgerRefusal, LedgerUnavailable, TooLarge, or the signal's reason.
   */
  async read<T>(request: ApiRequest, decodeValue: (value: unknown) => T, signal: AbortSignal): Promise<T> {
    const tries = new Tries(mostTries, this.clock)
    for (;;) {
      try {
        return decodeValue(answered(await this.api.call(request, signal)))
      } catch (error) {
        if (signal.aborted || !isTemporary(error)) throw error
        await tries.failed(error, signal)
      }
    }
  }

  /**
   * Yields the elements of a list, in pages. If a page is too large for the participant or this
   * program, the next request is for half as many.
   */
  async *list<T>(
    { path, token, bodyAfter, decodeElement }: ListRequest<T>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly T[]> {
    let limit = fullPage
    let last: T | undefined
    for (let count = 0; count < mostPages; count++) {
      const request = {
        method: 'POST',
        path: `${path}?limit=${limit}`,
        token,
        body: bodyAfter(last),
      } as const
      const decodePage = (value: unknown) => pageOf(value, limit).map(decodeElement)
      const page = await this.read(request, decodePage, signal).catch((error: unknown) => {
        if (!isTooMuch(error) || limit === 1) throw error
      })
      if (page === undefined) {
        limit = Math.floor(limit / 2)
        continue
      }
      yield page
      if (page.length < limit) return
      last = page.at(-1)
    }
    throw new LedgerUnavailable(`A list of the participant does not end after ${mostPages} pages.`)
  }

  end({ token }: Credentials, signal: AbortSignal): Promise<number> {
    const request = { method: 'GET', path: '/v2/state/ledger-end', token } as const
    return this.read(request, (value) => decode(ledgerEnd, value).offset, signal)
  }

  /** Returns undefined for a user without a primary party. */
  async primaryPartyOf({ userId, token }: Credentials, signal: AbortSignal): Promise<Party | undefined> {
    const { primaryParty } = await this.#user(`/v2/users/${encodeURIComponent(userId)}`, token, signal)
    return primaryParty
  }

  /**
   * Finds the user to whom the token belongs; undefined if the user has no primary party. A
   * participant that checks no tokens answers `INVALID_TOKEN`. In that case, finds the user with
   * the id `userId`.
   * @throws LedgerRefusal, LedgerUnavailable, or the signal's reason.
   */
  async accountOf({ userId, token }: Credentials, signal: AbortSignal): Promise<ParticipantUser | undefined> {
    const account = await this.#user('/v2/authenticated-user', token, signal).catch((error: unknown) => {
      if (!(error instanceof LedgerRefusal) || error.code !== 'INVALID_TOKEN') throw error
      return this.#user(`/v2/users/${encodeURIComponent(userId)}`, token, signal)
    })
    const { id, primaryParty: party } = account
    return party === undefined ? undefined : { userId: id, token, party }
  }

  #user(path: string, token: string | undefined, signal: AbortSignal) {
    return this.read({ method: 'GET', path, token }, (value) => decode(user, value).user, signal)
  }
}

function pageOf(value: unknown, limit: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedResponse('The participant sent something else than a list.')
  if (value.length > limit)
    throw new MalformedResponse(`The participant sent ${value.length} elements for at most ${limit}.`)
  return value
}

function isTooMuch(error: unknown): boolean {
  return error instanceof TooLarge || (error instanceof LedgerRefusal && error.code === tooManyElements)
}

export function templateNamed(name: string): Template {
  const known = templates.get(name)
  if (known === undefined) throw new TypeError(`no template ${name} is known`)
  return known
}

/** Returns a reference to all versions of a template: `#package-name:Module.Path:Entity`. */
export function qualified({ package: of, name }: Template): string {
  return `#${of.name}:${name}`
}

/**
 * Writes every field, because older participants require fields that later ones do not.
 * @param template the only template that is selected; all by default.
 */
export function eventsJson(parties: readonly Party[], template?: Template): object {
  const identifierFilter = template && {
    TemplateFilter: { value: { templateId: qualified(template), includeCreatedEventBlob: false } },
  }
  const filters = { cumulative: identifierFilter ? [{ identifierFilter }] : [] }
  return {
    filtersByParty: Object.fromEntries(parties.map((party) => [party, filters])),
    filtersForAnyParty: null,
    verbose: false,
  }
}
