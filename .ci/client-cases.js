/**
 * Makes calls of the client whose outcomes are the same in every engine. Resolves with the outcomes, by what the
 * calls try. This file is written for the oldest engine that the client supports, and imports nothing: tests pass
 * the client to it.
 *
 * @param addresses the URLs of a daemon and of a server that answers as `canned-daemon.ts` does, with the names of
 * its answers.
 */
export async function outcomes({ createClient, ClientError }, { daemon, canned, names }) {
  const client = createClient({ url: daemon, token: async () => 'any' })
  const leaving = new AbortController()
  const left = client.getDsoInfo({}, { signal: leaving.signal })
  leaving.abort(new Error('enough'))
  const calls = {
    'a value': client.lookupAnsEntryByName({ name: 'dso.cns' }),
    'an absence': client.lookupAnsEntryByName({ name: 'nobody.cns' }),
    'a list of nothing': client.listAnsEntries({ page_size: 3, name_prefix: 'ä/🪷' }),
    'a question with a body': client.getUpdateHistoryV2({ body: { page_size: 1 } }),
    'a read chosen at run time': client.read('lookupAnsEntryByName', { name: 'dso.cns' }),
    'an unknown read': client.read('lookupName', { name: 'dso.cns' }),
    'an unknown parameter': client.read('listAnsEntries', { page_size: 3, prefix: 'a' }),
    'a body of another shape': client.getUpdateHistoryV2({ body: { page_size: 'ten' } }),
    'a body with a member that is undefined': client.getUpdateHistoryV2({
      body: { page_size: 1, after: undefined },
    }),
    'a question that is too small': client.listAnsEntries({ page_size: 0 }),
    'a question with half a character': client.lookupAnsEntryByName({ name: '\ud800' }),
    'nobody at the address': createClient({ url: 'http://127.0.0.1:1' }).getDsoPartyId(),
    'a caller who leaves': left,
    ...Object.fromEntries(
      names.map((name) => [name, createClient({ url: `${canned}/${name}/` }).listFeaturedAppRights()]),
    ),
  }
  const told = Object.entries(calls).map(async ([call, made]) => [call, await made.then(answer, failure)])
  return Object.fromEntries(await Promise.all(told))

  function failure(error) {
    const { name, message, code, status, retryable, retryAfter } = error
    const kind = error instanceof ClientError ? 'ClientError' : undefined
    return { kind, name, message, code, status, retryable, retryAfter }
  }
}

function answer({ agreement, agreedAt, digest, value, ...rest }) {
  const number = value?.featured_apps?.[0]?.payload.number
  return {
    ...rest,
    ...(number === undefined ? { value } : { number: number.rawJSON }),
    agreed: agreement.agreed.length >= agreement.threshold,
    asked: agreement.asked >= agreement.threshold,
    voters: agreement.voters,
    isDated: agreedAt instanceof Date && agreedAt.getTime() > 0,
    isDigest: digest === '' || /^[\w-]{43}$/.test(digest),
  }
}
