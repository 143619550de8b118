import { SpliceError } from '../errors/splice.ts'
import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../reads/ans.ts'
import type { Params, Read } from '../reads/read.ts'
import type { Examiner } from '../scan/examiner.ts'
import { type Finding, type LookupInput, type Way, ways } from './model.ts'
import { mostListed } from './views/lookup.ts'

/** The result of a look-up. */
export interface Found {
  readonly status: number
  readonly finding: Finding
  /** Seconds after which to ask again. */
  readonly retryAfter?: number
}

/**
 * Reads the look-up form from the query of its URL.
 * @param mayAskAll true if the visitor may choose whom to ask.
 */
export function questionIn(query: URLSearchParams, mayAskAll: boolean): LookupInput {
  const by = ways.find((way) => way === query.get('by')) ?? 'name'
  const ask = query.get('ask') === 'enough' ? 'enough' : 'all'
  return { by, text: (query.get('q') ?? '').trim(), ask: mayAskAll ? ask : undefined }
}

/**
 * Asks the super validators now, without any cache.
 * @param spend takes a miss, or throws a SpliceError.
 */
export async function lookUp(
  { by, text, ask }: LookupInput,
  examiner: Pick<Examiner, 'examine'>,
  spend: () => void,
): Promise<Found> {
  try {
    const { read, given } = asked(by, text)
    const params = paramsOf(read, given)
    spend()
    const examination = await examiner.examine({ read, params }, ask === 'all')
    return { status: 200, finding: { kind: 'examined', examination } }
  } catch (error) {
    if (!(error instanceof SpliceError)) throw error
    const refused = { status: error.status, finding: { kind: 'refused', why: error.message } } as const
    return error.retryAfter === undefined ? refused : { ...refused, retryAfter: error.retryAfter }
  }
}

function asked(by: Way, text: string): { readonly read: Read; readonly given: Params } {
  switch (by) {
    case 'name':
      return { read: lookupAnsEntryByName, given: { name: text } }
    case 'party':
      return { read: lookupAnsEntryByParty, given: { party: text } }
    case 'prefix':
      return { read: listAnsEntries, given: { name_prefix: text, page_size: String(mostListed) } }
  }
}

function paramsOf({ params }: Read, given: Params): Params {
  return Object.fromEntries(
    params.flatMap(({ name, parse }) => (given[name] === undefined ? [] : [[name, parse(given[name])]])),
  )
}
