import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CantonError } from '../../src/errors/canton.ts'
import { UndiciJsonApi } from '../../src/ledger/participant/json-api.undici.ts'
import { Participant } from '../../src/ledger/participant/participant.ts'
import { ParticipantUpdates } from '../../src/ledger/participant/participant-updates.ts'
import { HurryingClock } from '../ledger/participant/hurrying-clock.ts'
import { openReads } from '../ledger/participant/open.ts'
import { formatOf, requested } from '../ledger/reads.ts'
import { selfSigned } from '../support/certificate.ts'
import { type FakeOptions, FakeParticipant } from '../support/fake-participant.ts'
import { type ReadsUnderTest, updateServiceContract } from './update-service.contract.ts'

async function openUnder(options: FakeOptions): Promise<ReadsUnderTest> {
  const opened = await openReads(options)
  const { fake, party, updates } = opened
  const other = `bob::1220${'b'.repeat(64)}`
  let readers = 0
  return {
    ...opened,
    grow: async (count) => fake.grow(party, count),
    skip: async (count) => fake.skip(count),
    as({ readAs, readAsAnyParty }) {
      const token = `token-of-reader-${++readers}`
      fake.user(token, `reader-${readers}`, '', { readAs: [...readAs], readAsAnyParty })
      return updates.open(token)
    },
    other,
    growOther: async (count) => fake.grow(other, count),
    create: async () => fake.create('Splice.Ans:AnsEntry', [party], { user: party, name: 'one' }),
    archive: async (contractId) => fake.archive(contractId),
    async allocate() {
      const allocated = `carol::1220${'c'.repeat(64)}`
      fake.allocate(allocated)
      return allocated
    },
  }
}

for (const version of ['3.4', '3.5', '3.6'] as const) {
  const open = () => openUnder({ version, prefix: version === '3.5' ? '/participant' : '' })
  updateServiceContract(`a participant of Canton ${version}`, open, { pages: version !== '3.4' })
}

describe('an update that was signed outside', () => {
  test('is found by its hash', async () => {
    await using opened = await openReads()
    const { fake, party, reads } = opened
    fake.grow(party, 3)
    const transactionHash = Buffer.from(fake.sign(2), 'base64')
    const updateFormat = requested(formatOf(party))
    const found = await reads.update({ key: { by: 'hash', transactionHash }, updateFormat })
    expect(found.offset).toBe(2)
    expect(JSON.parse(found.text).update.Transaction.value.transactionHash).toBe(
      transactionHash.toString('hex'),
    )
    const other = Buffer.alloc(32, 7)
    const refused = reads.update({ key: { by: 'hash', transactionHash: other }, updateFormat })
    expect(await refusalOf(refused)).toMatchObject({
      status: 404,
      error: { code: 'UPDATE_NOT_FOUND', resources: [['TRANSACTION_HASH', other.toString('hex')]] },
    })
  })

  test('cannot be asked for by hash of a participant before 3.6', async () => {
    await using opened = await openReads({ version: '3.5' })
    const key = { by: 'hash', transactionHash: Buffer.alloc(32, 7) } as const
    const refused = opened.reads.update({ key, updateFormat: requested(formatOf(opened.party)) })
    expect(await refusalOf(refused)).toMatchObject({ status: 501 })
  })
})

test('the version is the participant’s, whatever the token', async () => {
  for (const version of ['3.4', '3.5', '3.6'] as const) {
    await using opened = await openReads({ version })
    expect(await opened.updates.version()).toMatchObject({ version: `${version}.7` })
    opened.fake.fail('/v2/version', { kind: 'text', text: '{}' }, 9)
    expect(await refusalOf(opened.updates.version())).toMatchObject({ status: 503 })
  }
})

async function refusalOf(asked: Promise<unknown>) {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(CantonError)
  const { status } = error as CantonError
  return { status, error: (error as CantonError).body('') }
}

describe('over TLS', () => {
  const certificate = selfSigned({ addresses: ['127.0.0.1'] })
  const before = getCACertificates('default')
  beforeAll(() => setDefaultCACertificates([...before, certificate.cert]))
  afterAll(() => setDefaultCACertificates(before))

  const open = () => openUnder({ tls: certificate, prefix: '/participant' })
  updateServiceContract('a participant whose authority the machine trusts', open, { pages: true })

  test('a participant whose certificate nobody vouches for gets no token, whatever the environment says', async () => {
    const variable = 'NODE_TLS_REJECT_UNAUTHORIZED'
    const { [variable]: set } = process.env
    process.env[variable] = '0'
    try {
      const tls = selfSigned({ addresses: ['127.0.0.1'] })
      await using fake = await FakeParticipant.listen({ tls })
      await using api = new UndiciJsonApi({ url: fake.url }, { clock: new HurryingClock() })
      const participant = new Participant(api, new HurryingClock())
      const updates = new ParticipantUpdates({ participant, signal: new AbortController().signal })
      expect(await refusalOf(updates.open('token-of-alice'))).toMatchObject({
        status: 503,
        error: { code: 'SERVICE_NOT_RUNNING' },
      })
      expect(fake.requests).toEqual([])
    } finally {
      if (set === undefined) delete process.env[variable]
      else process.env[variable] = set
    }
  })
})
