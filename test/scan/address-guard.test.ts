import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import {
  AddressBlockedError,
  type AddressLookup,
  anyLookup,
  isPublicAddress,
  publicLookup,
  scanTarget,
} from '../../src/core/scan/address-guard.ts'

describe('public addresses', () => {
  test.each(
    `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
  169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255
  198.20.0.0 223.255.255.255 2001:200::1 2606:4700:4700::1111 2a00:1450:4001:800::200e 3ffe::1
  ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1`.split(/\s+/),
  )('%s is one', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['RFC 1918', '10.0.0.0'],
    ['RFC 1918', '10.255.255.255'],
    ['RFC 1918', '172.16.0.0'],
    ['RFC 1918', '172.31.255.255'],
    ['RFC 1918', '192.168.0.1'],
    ['carrier NAT', '100.64.0.0'],
    ['carrier NAT', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.255'],
    ['link-local, where clouds keep credentials', '169.254.169.254'],
    ['protocol assignments', '192.0.0.170'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:a00:1'],
    ['IPv4-mapped', '0:0:0:0:0:ffff:c0a8:0001'],
    ['NAT64', '64:ff9b::127.0.0.1'],
    ['NAT64', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::8.8.8.8'],
    ['discard', '100::1'],
    ['6to4', '2002:7f00:1::1'],
    ['6to4', '2002:a00:1::1'],
    ['6to4', '2002:c0a8:101::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['benchmarking', '2001:2::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['unique-local', 'fc00::1'],
    ['unique-local', 'fdff::1'],
    ['link-local', 'fe80::1'],
    ['link-local', 'fe80::1%eth0'],
    ['with a zone', '2606:4700::1111%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['unassigned', '4000::1'],
    ['no address', 'localhost'],
    ['no address', '127.1'],
    ['no address', ''],
  ])('%s: %s is none', (_what, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('a URL', () => {
  const strict = { allowHttp: false, allowPrivate: false }
  const lax = { allowHttp: true, allowPrivate: true }

  test.each([
    ['https://scan.sv-1.example.org', 'https://scan.sv-1.example.org', '', 'scan.sv-1.example.org', 443],
    ['https://scan.sv-1.example.org/', 'https://scan.sv-1.example.org', '', 'scan.sv-1.example.org', 443],
    ['https://Scan.Example.org:443//', 'https://scan.example.org', '', 'scan.example.org', 443],
    ['https://a.example:8443/sv/1/', 'https://a.example:8443/sv/1', '/sv/1', 'a.example', 8443],
    ['https://[2606:4700::1]/', 'https://[2606:4700::1]', '', '2606:4700::1', 443],
    ['https://8.8.8.8', 'https://8.8.8.8', '', '8.8.8.8', 443],
  ])('%s is usable', (text, url, prefix, host, port) => {
    expect(scanTarget(text, strict)).toMatchObject({ kind: 'usable', url, prefix, host, port, secure: true })
  })

  test('of plain http is usable where that is allowed', () => {
    const target = scanTarget('http://127.0.0.1:5012', lax)
    expect(target).toMatchObject({ kind: 'usable', host: '127.0.0.1', port: 5012, secure: false })
    expect(scanTarget('http://a.example', { ...strict, allowHttp: true })).toMatchObject({
      kind: 'usable',
      port: 80,
    })
  })

  test.each([
    ['http://scan.example.org', 'http is not allowed, because scanClient.allowHttp is false'],
    ['ftp://scan.example.org', 'neither https nor http'],
    ['javascript:alert(1)', 'neither https nor http'],
    ['scan.example.org', 'not a URL'],
    ['', 'not a URL'],
    ['https://', 'not a URL'],
    ['https://user:word@scan.example.org', 'a URL with a user name'],
    ['https://scan.example.org?x=1', 'a URL with a query or a fragment'],
    ['https://scan.example.org#x', 'a URL with a query or a fragment'],
    ['https://127.0.0.1', '127.0.0.1 is not public, and scanClient.allowPrivate is false'],
    ['https://0x7f.1', '127.0.0.1 is not public, and scanClient.allowPrivate is false'],
    ['https://2130706433', '127.0.0.1 is not public, and scanClient.allowPrivate is false'],
    ['https://0177.0.0.1', '127.0.0.1 is not public, and scanClient.allowPrivate is false'],
    ['https://127.0.0.1.', '127.0.0.1 is not public, and scanClient.allowPrivate is false'],
    ['https://[::ffff:127.0.0.1]', '::ffff:7f00:1 is not public, and scanClient.allowPrivate is false'],
    ['https://[::1]:8080', '::1 is not public, and scanClient.allowPrivate is false'],
    ['https://１２７.0.0.1', '127.0.0.1 is not public, and scanClient.allowPrivate is false'],
  ])('%s is blocked: %s', (text, reason) => {
    expect(scanTarget(text, strict)).toEqual({ kind: 'blocked', url: text, reason })
  })
})

describe('a lookup', () => {
  const yielding =
    (...addresses: string[]): AddressLookup =>
    (_hostname, options, callback) => {
      expect(options.all).toBe(true)
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }

  function resolve(lookup: ReturnType<typeof publicLookup>, all: boolean) {
    return new Promise<string | LookupAddress[]>((resolve, reject) => {
      lookup('scan.example.org', { all }, (error, found) => (error === null ? resolve(found) : reject(error)))
    })
  }

  test('yields the public addresses only', async () => {
    const lookup = publicLookup(yielding('127.0.0.1', '8.8.8.8', '::1', '2606:4700::1'))
    expect(await resolve(lookup, true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ])
    expect(await resolve(lookup, false)).toBe('8.8.8.8')
  })

  test('fails as blocked where every address is private', async () => {
    await expect(resolve(publicLookup(yielding('10.0.0.1', '::1')), true)).rejects.toThrow(
      new AddressBlockedError(
        'scan.example.org is at 10.0.0.1, ::1, which is not public, and scanClient.allowPrivate is false',
      ),
    )
  })

  test('yields any address where private ones are allowed', async () => {
    expect(await resolve(anyLookup(yielding('127.0.0.1')), false)).toBe('127.0.0.1')
  })

  test('passes on that a name does not resolve', async () => {
    const failing: AddressLookup = (_hostname, _options, callback) => callback(new Error('ENOTFOUND'), [])
    await expect(resolve(publicLookup(failing), true)).rejects.toThrow('ENOTFOUND')
  })
})
