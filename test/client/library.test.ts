import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inspect, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import {
  BadOptions,
  type BftScan,
  type BftScanOptions,
  createBftScan,
  SpliceError,
} from '../../src/bft-scan.ts'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { freePort } from '../support/free-port.ts'
import { ManualClock } from '../support/manual-clock.ts'

const run = promisify(execFile)

let localnet: WorldLocalnet
beforeAll(async () => {
  localnet = (await startLocalnet({ superValidators: 4 })) as WorldLocalnet
})
afterAll(() => localnet[Symbol.asyncDispose]())

const open = (scanClient: BftScanOptions['scanClient'] = {}, deps = {}): Promise<BftScan> => {
  const seedUrls = localnet.superValidators.map(({ url }) => url)
  return createBftScan({ scanClient: { seedUrls, allowHttp: true, allowPrivate: true, ...scanClient } }, deps)
}

describe('createBftScan', () => {
  test('answers with who agreed, the threshold and the time', async () => {
    const clock = new ManualClock()
    await using scan = await open({ threshold: '2f+1', fanout: 'all' }, { clock })
    const answer = await scan.lookupAnsEntryByName({ name: 'dso.cns' })
    expect(answer).toMatchObject({
      kind: 'value',
      value: { entry: localnet.truth.entryByName('dso.cns') },
      agreement: { threshold: 3, asked: 4, voters: 4, complete: true, protected: true },
      agreedAt: new Date(clock.wall()),
    })
    expect(answer.agreement.agreed.length).toBeGreaterThanOrEqual(3)
  })

  test('a live call asks again, and so does one that wants nothing older than a time', async () => {
    const clock = new ManualClock()
    await using scan = await open({}, { clock })
    const first = await scan.getDsoPartyId()
    clock.advance(2_000)
    const since = (ms: number) => scan.getDsoPartyId({}, { notBefore: new Date(ms) })
    expect((await since(clock.wall() - 2_000)).agreedAt).toEqual(first.agreedAt)
    expect((await since(clock.wall() - 1_999)).agreedAt).toEqual(new Date(clock.wall()))
    clock.advance(1_000)
    expect((await scan.read('getDsoPartyId', {}, { live: true })).agreedAt).toEqual(new Date(clock.wall()))
    await expect(since(clock.wall() + 1)).rejects.toMatchObject({
      code: 'behind',
      status: 502,
      retryAfter: 1,
      retryable: true,
    })
    await expect(since(Number.NaN)).rejects.toThrow(
      new BadOptions([
        'The option notBefore of a call must be a valid Date, such as answer.agreedAt; it is an invalid Date.',
      ]),
    )
  })

  test('an agreed absence is an answer, with who agreed on it', async () => {
    await using scan = await open()
    expect(await scan.lookupAnsEntryByName({ name: 'nobody.cns' })).toMatchObject({
      kind: 'absence',
      value: undefined,
      status: 404,
      error: 'No ans entry found for name: nobody.cns',
      agreement: { threshold: 2, voters: 4 },
    })
  })

  test('a question that does not fit its row is refused before any node is asked', async () => {
    await using scan = await open()
    const asks = () => localnet.superValidators.reduce((sum, { name }) => sum + localnet.asks(name), 0)
    const before = asks()
    for (const [id, given, code] of [
      ['lookupAnsEntryByParty', { party: 'nobody' }, 'identifierWithoutNamespace'],
      ['lookupAnsEntryByName', { name: '' }, 'emptyText'],
      ['lookupAnsEntryByName', { name: 3 }, 'malformedPathParameter'],
      ['listAnsEntries', {}, 'missingParameter'],
      ['getUpdateHistoryV2', { body: { page_size: 'ten' } }, 'malformedBody'],
      ['lookupAnsEntryByname', {}, 'unknownRead'],
    ] as const) {
      const asked = scan.read(id as never, given as never)
      await expect(asked).rejects.toBeInstanceOf(SpliceError)
      await expect(asked).rejects.toMatchObject({ status: 400, code, retryable: false })
    }
    expect(asks()).toBe(before)
  })

  test('scans that do not agree reject with the error that a daemon would answer', async () => {
    await using scan = await open({ fanout: 'all' })
    for (const { name } of localnet.superValidators)
      await localnet.setFault(name, { kind: 'lie', alone: true })
    try {
      const asked = scan.lookupAnsEntryByName({ name: 'dso.cns' })
      await expect(asked).rejects.toBeInstanceOf(SpliceError)
      await expect(asked).rejects.toMatchObject({ code: 'noConsensus', status: 502, retryable: true })
    } finally {
      for (const { name } of localnet.superValidators) await localnet.setFault(name, undefined)
    }
  })

  test('a signal ends a call that waits, and a call that has ended leaves nothing on its signal', async () => {
    await using scan = await open()
    const leaving = new AbortController()
    const left = scan.getDsoInfo({}, { signal: leaving.signal })
    await setImmediate()
    leaving.abort(new Error('enough'))
    await expect(left).rejects.toThrow('enough')
    const { signal } = new AbortController()
    const asked = scan.getDsoInfo({}, { signal })
    await setImmediate()
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await asked
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('a signal ends the call with its reason, also where the answer is cached', async () => {
    await using scan = await open()
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(scan.getDsoInfo({}, { signal })).rejects.toThrow('enough')
    await scan.getDsoInfo({})
    await expect(scan.getDsoInfo({}, { signal })).rejects.toThrow('enough')
  })

  test('an option that no call takes is refused, and the library prints as one line', async () => {
    await using scan = await open({}, { logger: undefined, clock: undefined })
    const { signal } = new AbortController()
    for (const options of [{ sginal: signal }, { signal: 5 }, signal])
      await expect(scan.getDsoInfo({}, options as never)).rejects.toBeInstanceOf(BadOptions)
    expect(await scan.getDsoPartyId({}, { signal: undefined })).toMatchObject({ kind: 'value' })
    expect(inspect(scan)).toMatch(/^BftScan \{ roster, and a method for each of \d+ reads \}$/)
  })

  test('says who votes', async () => {
    await using scan = await open()
    expect(scan.roster).toMatchObject({
      superValidators: ['sv-1', 'sv-2', 'sv-3', 'sv-4'],
      dso: localnet.world.dsoParty,
      threshold: 2,
      protected: true,
    })
  })

  test('says whether a single seed vouched for the roster', async () => {
    await using several = await open()
    await using one = await open({ seedUrls: [localnet.superValidators[0]?.url ?? ''] })
    expect([several.roster?.singleSeed, one.roster?.singleSeed]).toEqual([false, true])
  })

  test('reads in progress when it is disposed, and later ones, reject with the reason', async () => {
    const scan = await open()
    const read = scan.lookupAnsEntryByName({ name: 'in-progress.cns' })
    const ended = expect(read).rejects.toMatchObject({ name: 'SpliceError', code: 'disposed' })
    await scan[Symbol.asyncDispose]()
    await ended
    await expect(scan.lookupAnsEntryByName({ name: 'late.cns' })).rejects.toMatchObject({
      name: 'SpliceError',
      code: 'disposed',
      message: 'This library is disposed: it answers no more reads.',
    })
  })

  test('on a Node that is too old it rejects with the Node that it needs', async () => {
    const { versions } = process
    Object.defineProperty(process, 'versions', {
      configurable: true,
      value: { ...versions, node: '22.20.0' },
    })
    try {
      await expect(open()).rejects.toThrow('bft-scan-proxy: needs Node 24.15 or later, this is 22.20.0')
    } finally {
      Object.defineProperty(process, 'versions', { configurable: true, value: versions })
    }
  })

  test('mistakes in sections and in their options are told together', async () => {
    const options = { scanClient: { seedUrls: ['x'], threshold: 'foo' }, cash: {}, network: 'mainnet' }
    await expect(createBftScan(options as never)).rejects.toMatchObject({
      problems: [
        expect.stringMatching(/^cash: no option of the library/),
        expect.stringMatching(/^network: must be localnet or remote/),
        expect.stringMatching(/^scanClient\.seedUrls\[0\] must be /),
        expect.stringMatching(/^scanClient\.threshold must be /),
      ],
    })
  })

  test.each([
    [undefined, 'createBftScan takes an object such as'],
    [null, 'createBftScan takes an object such as'],
    ['http://127.0.0.1', 'createBftScan takes an object such as'],
    [{ scanClient: {}, mirror: { level: 'stream' } }, 'mirror: no option of the library'],
    [{ scanClient: {}, network: 'mainnet' }, 'network: must be localnet or remote'],
    [{ scanClient: { thresholds: { no: 1 } } }, 'scanClient.thresholds.no: unknown key'],
    [
      { network: 'localnet' },
      'scanClient.seedUrls must name at least one scan: the library starts no localnet',
    ],
  ])('says what is wrong with %j in place of its options', async (options, says) => {
    const opened = createBftScan(options as never)
    await expect(opened).rejects.toBeInstanceOf(BadOptions)
    await expect(opened).rejects.toThrow(says)
  })

  test.each([
    [{ loger: 1 }, 'takes no option loger; did you mean logger? It takes logger, clock.'],
    [{ scanClient: {} }, 'scanClient: belongs into the first argument of createBftScan'],
    [{ logger: console }, 'must be a Logger with the methods debug, info, warn, error and child'],
    [{ clock: Date }, 'must be a Clock with the methods now, wall and after; it is a function.'],
    [null, 'must be an object with logger, clock; they are null.'],
  ])('says what is wrong with %o as its second argument', async (deps, says) => {
    const opened = createBftScan({ scanClient: { seedUrls: ['https://scan.example'] } }, deps as never)
    await expect(opened).rejects.toBeInstanceOf(BadOptions)
    await expect(opened).rejects.toThrow(says)
  })

  test('names the option that keeps a private address from being asked', async () => {
    const seedUrls = [`https://localhost:${await freePort()}`, `https://127.0.0.1:${await freePort()}`]
    await using refused = await createBftScan({ scanClient: { seedUrls } })
    const blocked = await refused.getDsoPartyId().catch((error: Error) => error)
    expect(blocked).toMatchObject({
      code: 'noRosterYet',
      message: expect.stringMatching(
        /; 2 never asked: .* not public, and scanClient\.allowPrivate is false \(seeds: blocked 2\)$/,
      ),
      cause: { errors: [expect.objectContaining({ message: expect.stringContaining(': blocked: ') }), {}] },
    })
    await using asked = await createBftScan({ scanClient: { seedUrls, allowPrivate: true } })
    const unreachable = await asked.getDsoPartyId().catch((error: Error) => error)
    expect(unreachable).toMatchObject({
      code: 'noRosterYet',
      message: expect.not.stringContaining('allowPrivate'),
    })
  })

  test('a single seed that cannot be reached is named with what it said', async () => {
    const seed = `http://127.0.0.1:${await freePort()}`
    await using scan = await createBftScan({
      scanClient: { seedUrls: [seed], allowHttp: true, allowPrivate: true },
    })
    const error: unknown = await scan.getDsoPartyId().catch((why: unknown) => why)
    expect(error).toMatchObject({
      code: 'noRosterYet',
      message:
        'No roster of super validators is agreed yet: the only seed does not say who the super validators are (seeds: connect 1)',
      cause: {
        errors: [expect.objectContaining({ message: expect.stringContaining(`${seed}: connect: `) })],
      },
    })
  })

  test('the process lives until reads that wait for their turn are answered, and an idle library lets it end', async () => {
    const child = fileURLToPath(new URL('children/pending-reads.ts', import.meta.url))
    const seeds = localnet.superValidators.map(({ url }) => url)
    const { stdout } = await run(process.execPath, [child, ...seeds])
    expect(stdout).toBe('14')
  })

  test('once closed it has no connection left, and the process ends', async () => {
    const child = fileURLToPath(new URL('children/close-library.ts', import.meta.url))
    const seeds = localnet.superValidators.map(({ url }) => url)
    const { stdout } = await run(process.execPath, [child, ...seeds])
    expect(JSON.parse(stdout)).toEqual({ whileOpen: true, closed: true })
  })
})

test('questions and answers are typed from the rows of the table', () => {
  type Reply<Method extends (...args: never[]) => Promise<{ value: unknown }>> = NonNullable<
    Awaited<ReturnType<Method>>['value']
  >
  expectTypeOf<Parameters<BftScan['lookupAnsEntryByName']>[0]>().toEqualTypeOf<{ readonly name: string }>()
  expectTypeOf<Parameters<BftScan['listAnsEntries']>[0]>().toEqualTypeOf<{
    readonly page_size: number
    readonly name_prefix?: string | undefined
  }>()
  expectTypeOf<Parameters<BftScan['getValidatorFaucetsByValidator']>[0]>().toEqualTypeOf<{
    readonly validator_ids: readonly string[]
  }>()
  expectTypeOf<Parameters<BftScan['getEventById']>[0]>().toEqualTypeOf<{
    readonly update_id: string
    readonly daml_value_encoding?: 'compact_json' | 'protobuf_json' | undefined
  }>()
  expectTypeOf<Reply<BftScan['getDsoPartyId']>>().toEqualTypeOf<{ dso_party_id: string }>()
  expectTypeOf<Reply<BftScan['getTransferFactory']>['transferKind']>().toEqualTypeOf<
    'self' | 'direct' | 'offer'
  >()
  expectTypeOf<Reply<BftScan['lookupAnsEntryByName']>['entry']['expires_at']>().toEqualTypeOf<string | null>()
  const asks = (scan: BftScan) => [
    scan.getDsoInfo(),
    scan.getUpdateHistoryV2({ body: { page_size: 10 } }),
    // @ts-expect-error a required parameter is required
    scan.lookupAnsEntryByName({}),
    // @ts-expect-error the argument with the required parameter is required too
    scan.lookupAnsEntryByName(),
    // @ts-expect-error the read has no parameter of this name
    scan.listAnsEntries({ page_size: 10, prefix: 'a' }),
    // @ts-expect-error a body is checked too
    scan.getUpdateHistoryV2({ body: { page_size: '10' } }),
  ]
  expectTypeOf(asks).returns.items.toExtend<Promise<unknown>>()
})
