import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { networkKind } from '../../src/base/config/network-kind.ts'
import { top } from '../arch/sources.ts'

test('the hosts of all seeds decide the network', () => {
  const seed = (middle: string) => `https://scan.sv-1.${middle}canton.network.sync.global`
  expect(networkKind('remote', [seed('global.'), seed('global.')])).toBe('mainnet')
  expect(networkKind('remote', [seed('test.global.')])).toBe('testnet')
  expect(networkKind('remote', [seed('dev.global.')])).toBe('devnet')
  expect(networkKind('remote', [seed('global.'), seed('dev.global.')])).toBe('remote')
  expect(networkKind('remote', [seed('global.'), 'http://127.0.0.1:1'])).toBe('remote')
  expect(networkKind('remote', ['no URL'])).toBe('remote')
  expect(networkKind('localnet', [seed('global.')])).toBe('localnet')
})

test.each(['mainnet', 'testnet', 'devnet'] as const)(
  'the seeds of config/%s.yaml are known as that network',
  (name) => {
    const { scanClient } = parse(readFileSync(join(top, `config/${name}.yaml`), 'utf8'))
    expect(networkKind('remote', scanClient.seedUrls)).toBe(name)
  },
)
