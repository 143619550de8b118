import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import nock from 'nock'
import { afterEach, describe, expect, test } from 'vitest'
import { type CallOptions, ClientError, type ClientOptions, createClient } from '../../src/client/client.ts'

const url = 'https://daemon.example'
const said = { 'x-bft-quorum': 'agreed=1, threshold=1, asked=1, voters=4', 'x-bft-agreed': '"sv-1"' }
const dso = { dso_party_id: 'DSO::1220ab' }

function thrownBy(make: () => unknown): unknown {
  try {
    make()
  } catch (error) {
    return error
  }
  return undefined
}

const failure = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )

describe('the address of a client is that of a daemon and nothing else', () => {
  test.each([
    'localhost:8080',
    '[::1]:8080/scan',
    'nonsense',
    '/scan',
    'not a url',
    'ws://user:hunter2@scan.example.org',
    'user:hunter2@scan.example.org:8080',
    'http://user:hunter2@',
    'http://user:hun/ter2@not a host',
    'scan.example.org?key=hunter2',
    'http://user:hunter2@127.0.0.1:8080',
    'http://hunter2@127.0.0.1:8080/scan',
    'https://:hunter2@scan.example.org',
    'http://user:12#hunter2@scan.example.org',
    'https://scan.example.org/?key=hunter2',
    'https://scan.example.org/#hunter2',
    'https://scan.example.org/?',
    'https://scan.example.org/#',
  ])('%s is rejected, and the error does not repeat its secret', (given) => {
    const error = thrownBy(() => createClient({ url: given }))
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ code: 'badUrl', retryable: false, status: undefined })
    expect(error).not.toHaveProperty('cause')
    expect(inspect(error)).not.toMatch(/hunter2|ter2/)
    expect(inspect(error)).toMatch(/The url of a client must .*, such as http:\/\/127\.0\.0\.1:8080\./)
  })

  test.each<readonly [string, unknown, string]>([
    ['nothing', undefined, 'createClient takes an object with the url of a daemon: createClient({ url: '],
    ['a text', 'http://127.0.0.1:8080', 'createClient takes an object with the url of a daemon'],
    ['a URL', new URL(url), 'createClient takes an object with the url of a daemon'],
    ['an empty url', { url: ' ' }, 'A client needs the url of a daemon, such as http://127.0.0.1:8080.'],
    ['no url', {}, 'A client needs the url of a daemon, such as http://127.0.0.1:8080.'],
    ['null', { url: null }, 'A client needs the url of a daemon, such as http://127.0.0.1:8080.'],
    ['a number', { url: 8080 }, 'it is the number 8080.'],
    ['a list', { url: [url] }, 'it is a list.'],
  ])('%s in place of options says what is needed', (_, given, message) => {
    const error = thrownBy(() => createClient(given as unknown as ClientOptions))
    expect(error).toMatchObject({
      name: 'ClientError',
      code: 'badUrl',
      message: expect.stringContaining(message),
    })
  })
})

describe('a token that no header can carry', () => {
  test.each<readonly [string, unknown]>([
    ['with a line break', 'hunter2\nb'],
    ['with a line break at its end', 'hunter2\n'],
    ['with characters outside of ASCII', 'ühunter2€'],
    ['with a space', 'hunter2 b'],
    ['that is a number', 2_222],
    ['that is null', null],
    ['that is empty', ''],
  ])('%s is an error, and is neither repeated in it nor sent', async (_, token) => {
    const error = thrownBy(() => createClient({ url, token } as ClientOptions))
    const later = await failure(createClient({ url, token: () => token as string }).getDsoPartyId())
    for (const told of [error, later]) {
      expect(told).toBeInstanceOf(ClientError)
      expect(told).toMatchObject({ code: 'badToken', retryable: false, status: undefined })
      expect(inspect(told)).not.toMatch(/hunter2|2222/)
    }
  })

  test('a function that returns undefined is an error: a read without a token is asked without a function', async () => {
    const token = async () => undefined as unknown as string
    const told = await failure(createClient({ url, token }).getDsoPartyId())
    expect(told).toMatchObject({
      name: 'ClientError',
      code: 'badToken',
      message:
        'A token must be a text of visible ASCII characters, without spaces and without the word Bearer; nothing was sent.',
    })
  })

  test('a client without a token sends none', async () => {
    const asked = nock(url, { badheaders: ['authorization'] })
      .get('/api/scan/v0/dso-party-id')
      .reply(200, dso, said)
    await createClient({ url, token: undefined }).getDsoPartyId()
    expect(asked.isDone()).toBe(true)
  })
})

describe('a caller who leaves while its token is fetched', () => {
  afterEach(() => nock.cleanAll())

  test('gets the reason of its signal at once, though the token never comes', async () => {
    const leaving = new AbortController()
    const fetching = Promise.withResolvers<void>()
    const token = () => {
      fetching.resolve()
      return new Promise<string>(() => undefined)
    }
    const asked = failure(createClient({ url, token }).getDsoPartyId({}, { signal: leaving.signal }))
    await fetching.promise
    leaving.abort(new Error('enough'))
    expect(await asked).toEqual(new Error('enough'))
  })

  test('fetches no token where it has left before', async () => {
    let fetched = 0
    const token = () => `t-${++fetched}`
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(createClient({ url, token }).getDsoPartyId({}, { signal })).rejects.toThrow('enough')
    expect(fetched).toBe(0)
  })

  test('leaves nothing behind on a signal that it uses again', async () => {
    const { signal } = new AbortController()
    const client = createClient({ url, token: async () => Promise.reject(new Error('no session')) })
    await expect(client.getDsoPartyId({}, { signal })).rejects.toThrow('no session')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('an option that a client does not take', () => {
  const { signal } = new AbortController()
  test.each<readonly [string, unknown, string]>([
    [
      'misspelt',
      { sginal: signal },
      'A call takes no option sginal; did you mean signal? It takes signal, live, notBefore.',
    ],
    [
      'of another type',
      { signal: 5 },
      'The option signal of a call must be an AbortSignal; it is the number 5.',
    ],
    ['null', { signal: null }, 'The option signal of a call must be an AbortSignal; it is null.'],
    ['a word', { live: 'yes' }, 'The option live of a call must be true or false; it is a string.'],
    [
      'no date',
      { notBefore: new Date('soon') },
      'must be a valid Date, such as answer.agreedAt; it is an invalid',
    ],
    ['the controller', { signal: new AbortController() }, 'it is an AbortController.'],
    ['not in an object', signal, 'write { signal } in place of the signal.'],
    ['a list', [signal], 'must be an object with signal, live, notBefore; they are a list.'],
    ['nothing', null, 'must be an object with signal, live, notBefore; they are null.'],
  ])('%s is an error, and nothing is sent', async (_, options, message) => {
    const client = createClient({ url })
    for (const asked of [
      client.getDsoPartyId({}, options as CallOptions),
      client.read('getDsoPartyId', {}, options as CallOptions),
    ])
      await expect(asked).rejects.toMatchObject({
        name: 'ClientError',
        code: 'badOption',
        retryable: false,
        message: expect.stringContaining(message),
      })
  })

  test('misspelt in createClient is an error that does not repeat its value', () => {
    const error = thrownBy(() => createClient({ url, tokn: 'hunter2' } as ClientOptions))
    expect(error).toMatchObject({
      code: 'badOption',
      message: 'A client takes no option tokn; did you mean token? It takes url, token, timeoutMs.',
    })
  })
})

describe('a first argument that is no object of parameters', () => {
  const { signal } = new AbortController()
  const second =
    'options come after the parameters: getDsoPartyId({ ... }, { signal }), with {} for no parameters.'
  test.each<readonly [string, unknown, string]>([
    ['a signal', signal, `signal is an option, and ${second}`],
    ['an object with a signal', { signal }, `signal is an option, and ${second}`],
    ['a date', new Date(), 'The parameters of getDsoPartyId must be an object; they are a Date.'],
    ['a map', new Map(), 'The parameters of getDsoPartyId must be an object; they are a Map.'],
    ['a text', 'dso', 'The parameters of getDsoPartyId must be an object; they are a string.'],
    ['a list', [], 'The parameters of getDsoPartyId must be an object; they are an empty list.'],
    ['a function', () => {}, 'The parameters of getDsoPartyId must be an object; they are a function.'],
  ])('%s is an error that says what belongs there, and nothing is sent', async (_, given, message) => {
    const client = createClient({ url })
    for (const asked of [client.getDsoPartyId(given as never), client.read('getDsoPartyId', given as never)])
      expect(await failure(asked)).toMatchObject({ name: 'ClientError', code: 'unknownParameter', message })
  })
})

describe('options that are undefined', () => {
  test('are as good as options that are left out, also for the compiler', async () => {
    nock(url).get('/api/scan/v0/dso-party-id').reply(200, dso, said)
    const given: { readonly signal: AbortSignal | undefined; readonly token: string | undefined } = {
      signal: undefined,
      token: undefined,
    }
    const client = createClient({ url, token: given.token })
    const options = { signal: given.signal, live: undefined, notBefore: undefined }
    expect(await client.getDsoPartyId({}, options)).toMatchObject({ value: dso })
  })
})

describe('a parameter of a wrong type', () => {
  test.each<readonly [unknown, string]>([
    [['a'], "'list' is not a valid text"],
    [5, "'5' is not a valid text, but a number"],
    [new Date(0), "'Date' is not a valid text"],
    [{}, "'object' is not a valid text"],
    [null, "'null' is not a valid text"],
  ])('%j is named as what it is', async (name, message) => {
    const asked = createClient({ url }).lookupAnsEntryByName({ name: name as string })
    await expect(asked).rejects.toThrow(message)
  })
})

test('a client prints as one line that has its address and not its token', () => {
  const printed = inspect(createClient({ url: `${url}/scan/`, token: 'hunter2' }))
  expect(printed).toMatch(
    /^Client \{ url: 'https:\/\/daemon\.example\/scan', and a method for each of \d+ reads \}$/,
  )
})

test('an error that a program makes with a code of its own is not retryable', () => {
  expect(new ClientError('mine' as never, 'x')).toMatchObject({ code: 'mine', retryable: false })
})
