import { expect, test } from 'vitest'
import { configOf, problemsOf, remote } from '../config/config.ts'

const given = (egressAddresses: readonly string[]) => ({
  ...remote,
  scanClient: { ...remote.scanClient, egressAddresses },
})

test('egress addresses are IP addresses, or blocks of them', () => {
  const addresses = ['203.0.113.7', '203.0.113.0/28', '2001:db8::7', '2001:db8::/48', '0.0.0.0/0']
  expect(configOf(given(addresses)).scanClient.egressAddresses).toEqual(addresses)
  expect(configOf(remote).scanClient.egressAddresses).toEqual([])
})

test.each([
  'example.org',
  '203.0.113.7/33',
  '2001:db8::/129',
  '203.0.113.7/',
  '1.2.3.4/8/8',
  '',
  '203.0.113',
])('the egress address "%s" is a configuration problem', (address) => {
  expect(problemsOf(given([address])).join()).toMatch(/^scanClient\.egressAddresses.* must be an IP address/)
})
