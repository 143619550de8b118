import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** @param atEnd a hook of vitest, such as `onTestFinished`. The certificate is no longer trusted when the hook runs. */
export function trust(atEnd: (distrust: () => void) => void, certificate: string): void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, certificate])
  atEnd(() => setDefaultCACertificates(before))
}

/**
 * Makes a self-signed certificate and its key, both as PEM. Each call makes a new key, so that the repository contains
 * no keys. The times are UTC, in the form `YYMMDDhhmmssZ`.
 */
export function selfSigned(
  hosts: { names?: readonly string[]; addresses?: readonly string[] },
  { from, until } = { from: '250101000000Z', until: '491231235959Z' },
): {
  readonly cert: string
  readonly key: string
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const name = sequence(set(sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('a test')))))
  const unsigned = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(from), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames(hosts))),
  )
  const signature = bitString(sign('sha256', unsigned, privateKey))
  return {
    cert: pem('CERTIFICATE', sequence(unsigned, ecdsaWithSha256, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function alternativeNames({
  names = [],
  addresses = [],
}: {
  names?: readonly string[]
  addresses?: readonly string[]
}) {
  const entries = [
    ...names.map((name) => der(0x82, Buffer.from(name))),
    ...addresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number)))),
  ]
  return sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(...entries)))
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts)
const set = (...parts: readonly Buffer[]) => der(0x31, ...parts)
const integer = (value: Buffer) => der(0x02, value)
const oid = (...encoded: readonly number[]) => der(0x06, Buffer.from(encoded))
const utcTime = (text: string) => der(0x17, Buffer.from(text))
const bitString = (value: Buffer) => der(0x03, Buffer.from([0]), value)

function pem(label: string, data: Buffer): string {
  const lines = data.toString('base64').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
