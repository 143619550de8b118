import nock from 'nock'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'

const url = 'https://daemon.example'
const said = { 'x-bft-quorum': 'agreed=1, threshold=1, asked=1, voters=4', 'x-bft-agreed': '"sv-1"' }
const entry = {
  contract_id: '00',
  user: 'bob::12',
  name: 'bob.cns',
  url: '',
  description: '',
  expires_at: null,
}
const refusalOf = (member: string, param: string) => ({
  name: 'ClientError',
  code: 'misunderstood',
  status: 200,
  retryable: false,
  message: `the answer of ${url} is for another question: its ${member} is not the ${param} that was asked for`,
})

describe('the client rejects a well-formed answer to another question', () => {
  afterEach(() => nock.cleanAll())

  test('with the entry of another name', async () => {
    nock(url).get('/api/scan/v0/ans-entries/by-name/alice.cns').reply(200, { entry }, said)
    await expect(createClient({ url }).lookupAnsEntryByName({ name: 'alice.cns' })).rejects.toMatchObject(
      refusalOf('entry.name', 'name'),
    )
  })

  test('with the entry of another party', async () => {
    nock(url)
      .get(/by-party/)
      .reply(200, { entry }, said)
    await expect(createClient({ url }).lookupAnsEntryByParty({ party: 'alice::12' })).rejects.toMatchObject(
      refusalOf('entry.user', 'party'),
    )
  })
})
