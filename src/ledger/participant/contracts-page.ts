import type { ContractsPage } from '../update-service.ts'
import type { EventFormat } from '../visibility/format.ts'
import type { ContractsPageRequest } from '../wire/requests.ts'
import { activeElementOf } from './active-contracts.ts'
import { contractsPage, decode, MalformedResponse } from './answers.ts'
import { TooLarge } from './json-api.ts'
import type { Participant } from './participant.ts'
import { eventFormatJson } from './request-json.ts'
import type { Credentials } from './requests.ts'

/** A participant's default page size (`default-acs-page-size`). */
const defaultPageSize = 2000

/**
 * If the page has too many bytes, asks for half as many contracts. A page token is valid for any
 * page size.
 */
export async function readContractsPage(
  participant: Participant,
  request: ContractsPageRequest & { readonly eventFormat: EventFormat },
  { token }: Credentials,
  signal: AbortSignal,
): Promise<ContractsPage> {
  const { activeAtOffset, maxPageSize, pageToken } = request
  const path = '/v2/state/active-contracts-page'
  for (let size = maxPageSize; ; ) {
    const body = {
      ...(activeAtOffset !== undefined && { activeAtOffset }),
      ...(size !== undefined && { maxPageSize: size }),
      ...(pageToken.length > 0 && { pageToken: pageToken.toString('base64') }),
      eventFormat: eventFormatJson(request.eventFormat),
    }
    try {
      return await participant.read(
        { method: 'POST', path, token, body },
        (value) => pageIn(value, body),
        signal,
      )
    } catch (error) {
      if (!(error instanceof TooLarge) || size === 1) throw error
      size = Math.floor((size ?? defaultPageSize) / 2)
    }
  }
}

function pageIn(
  value: unknown,
  asked: { readonly activeAtOffset?: number; readonly maxPageSize?: number },
): ContractsPage {
  const { activeAtOffset: at, activeContracts, nextPageToken = null } = decode(contractsPage, value)
  const contracts = activeContracts.map((each) => activeElementOf(each))
  const isAnother = asked.activeAtOffset !== undefined && asked.activeAtOffset !== at
  if (isAnother || contracts.some(({ offset }) => offset > at))
    throw new MalformedResponse(
      `The participant sent a page of another offset than ${asked.activeAtOffset ?? at}.`,
    )
  if (contracts.length > (asked.maxPageSize ?? contracts.length))
    throw new MalformedResponse(
      `The participant sent ${contracts.length} contracts for at most ${asked.maxPageSize}.`,
    )
  return {
    activeAtOffset: at,
    contracts: (async function* () {
      if (contracts.length > 0) yield contracts.map(({ text }) => text).join(',')
    })(),
    nextPageToken: () => nextPageToken,
  }
}
