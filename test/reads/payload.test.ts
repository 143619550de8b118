import { expect, test } from 'vitest'
import { payloadInOneText } from '../../src/core/reads/payload.ts'

const rules = { template_id: 'ab12:Splice.AmuletRules:AmuletRules' }

test('decimals and times of known templates are read in one text, at any depth', () => {
  const payload = {
    configSchedule: {
      initialValue: {
        transferConfig: { createFee: { fee: '0.0300000000' }, transferFee: { initialRate: '1' } },
      },
      futureValues: [{ _1: '2026-01-01T00:00:00.000Z', _2: { fees: { extraTrafficPrice: '16.670' } } }],
    },
    steps: [{ _1: '100.00', _2: '1e0' }],
    isDevNet: true,
  }
  expect(payloadInOneText({ ...rules, payload }).payload).toEqual({
    configSchedule: {
      initialValue: { transferConfig: { createFee: { fee: '0.03' }, transferFee: { initialRate: '1.0' } } },
      futureValues: [{ _1: '2026-01-01T00:00:00Z', _2: { fees: { extraTrafficPrice: '16.67' } } }],
    },
    steps: [{ _1: '100.0', _2: '1.0' }],
    isDevNet: true,
  })
})

test.each([
  ['Splice.DsoRules:DsoRules', 'upgradeTime'],
  ['Splice.DsoRules:VoteRequest', 'voteBefore'],
  ['Splice.DSO.SvState:SvNodeState', 'lastUpdatedAt'],
  ['Splice.ValidatorLicense:ValidatorLicense', 'lastActiveAt'],
  ['Splice.ExternalPartyAmuletRules:TransferCommand', 'expiresAt'],
])('a time of a %s is read in one text', (template, member) => {
  const contract = {
    template_id: `ab12:${template}`,
    payload: { state: { [member]: '2026-01-01T00:00:00.50Z' } },
  }
  expect(payloadInOneText(contract).payload).toEqual({ state: { [member]: '2026-01-01T00:00:00.5Z' } })
})

test('a text that looks like a number stays as it is in a template or a member that is not known', () => {
  const named = { template_id: 'ab12:Splice.Ans:AnsEntry', payload: { name: '1.00', fee: '1.00' } }
  expect(payloadInOneText(named)).toBe(named)
  const contract = { ...rules, payload: { dso: '1.00', fee: 'soon' } }
  expect(payloadInOneText(contract)).toBe(contract)
})
