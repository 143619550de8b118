import { sign } from 'node:crypto'
import { agreedAt, type MadeReceipt, namePath, sha256, sha256Of, type TestKey } from './receipt-signer.ts'

export interface TestEntry {
  readonly contract_id: string
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at: string
}

export function testEntry(name: string, more: Partial<TestEntry> = {}): TestEntry {
  return {
    contract_id: `00${sha256(name).toString('hex').slice(0, 8)}`,
    user: 'alice::1220ab',
    name,
    url: '',
    description: '',
    expires_at: '2027-01-01T00:00:00Z',
    ...more,
  }
}

export function leafOf(leaf: TestEntry | readonly TestEntry[]): string {
  if (!('name' in leaf)) return `[${leaf.map(leafOf).join(',')}]`
  return JSON.stringify(Object.fromEntries(Object.entries(leaf).toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** The Merkle tree hash, word for word as RFC 6962, 2.1, defines it. */
export function treeHash(leaves: readonly string[]): Buffer {
  const [first] = leaves
  if (first === undefined) return sha256('')
  if (leaves.length === 1) return sha256Of([0], Buffer.from(first))
  const k = largestPowerOfTwoBelow(leaves.length)
  return sha256Of([1], treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)))
}

/** The audit path of a leaf, word for word as RFC 6962, 2.1.1, defines it. */
export function pathOf(index: number, leaves: readonly string[]): readonly Buffer[] {
  if (leaves.length === 1) return []
  const k = largestPowerOfTwoBelow(leaves.length)
  return index < k
    ? [...pathOf(index, leaves.slice(0, k)), treeHash(leaves.slice(k))]
    : [...pathOf(index - k, leaves.slice(k)), treeHash(leaves.slice(0, k))]
}

function largestPowerOfTwoBelow(number: number): number {
  return 2 ** Math.ceil(Math.log2(number) - 1)
}

export interface SetTestimony {
  readonly path: string
  readonly status: number
  readonly body: string
  readonly at: number
  readonly created: number
  readonly expires: number
  readonly root: Buffer
  readonly names: number
  readonly roster: string
  readonly agreed: string
  readonly counts: string
  readonly version: number
  readonly proof: string
  readonly parameters: (text: string) => string
}

/** The entries of a signed set, sorted by name. Makes the answers of a daemon that has signed the set. */
export class TestSet {
  readonly leaves: readonly string[]
  readonly #names: readonly string[]
  readonly #entries: readonly TestEntry[]

  constructor(entries: readonly TestEntry[]) {
    const byBytes = (a: TestEntry, b: TestEntry) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))
    this.#entries = entries.toSorted(byBytes)
    this.#names = this.#entries.map(({ name }) => name)
    this.leaves = this.#entries.map(leafOf)
  }

  answer(key: TestKey, name: string, given: Partial<SetTestimony> = {}): MadeReceipt {
    const index = this.#names.indexOf(name)
    const isThere = index !== -1
    const made: SetTestimony = {
      path: namePath.replace('alice.unverified.cns', () => encodeURIComponent(name)),
      status: isThere ? 200 : 404,
      body: JSON.stringify(
        isThere ? { entry: this.#entries[index] } : { error: `No ans entry found for name: ${name}` },
      ),
      at: agreedAt,
      created: given.at ?? agreedAt,
      expires: (given.at ?? agreedAt) + 86_400,
      root: treeHash(this.leaves),
      names: this.leaves.length,
      roster: 'the roster',
      agreed: '"sv-a" "sv-b" "sv-c" "sv-d" "sv-e"',
      counts: 'threshold=5, asked=6, voters=13',
      version: 1,
      proof: isThere ? this.inclusion(index) : this.exclusion(this.#placeOf(name)),
      parameters: (text) => text,
      ...given,
    }
    return signed(key, made)
  }

  inclusion(index: number): string {
    return `index=${index}, path=${this.#path(index)}`
  }

  /** Proves that a name is missing. The name would be at the position `index`. */
  exclusion(index: number): string {
    const side = (name: string, at: number) =>
      this.leaves[at] === undefined
        ? []
        : [`${name}=${bytes(Buffer.from(this.leaves[at]))}`, `${name}-path=${this.#path(at)}`]
    return [`index=${index}`, ...side('left', index - 1), ...side('right', index)].join(', ')
  }

  #path(index: number): string {
    return bytes(Buffer.concat([...pathOf(index, this.leaves)]))
  }

  #placeOf(name: string): number {
    const after = this.#names.findIndex((one) => Buffer.compare(Buffer.from(one), Buffer.from(name)) > 0)
    return after === -1 ? this.#names.length : after
  }
}

function signed(key: TestKey, made: SetTestimony): MadeReceipt {
  const digests = [
    `root=${bytes(made.root)}`,
    `roster=${bytes(sha256(made.roster))}`,
    `trust=${bytes(sha256('the trust'))}`,
    `votes=${bytes(sha256('the votes'))}`,
  ].join(', ')
  const set = `v=${made.version}, at=@${made.at}, migration=4, names=${made.names}, ${digests}, agreed=(${made.agreed}), ${made.counts}`
  const params = made.parameters(
    `("x-bft-set");created=${made.created};expires=${made.expires};keyid="${key.keyid}";alg="ed25519";tag="bft-scan-set"`,
  )
  const base = `"x-bft-set": ${set}\n"@signature-params": ${params}`
  return {
    format: 1,
    request: { method: 'GET', path: made.path },
    response: {
      status: made.status,
      headers: {
        'content-type': 'application/json',
        'x-bft-set': set,
        'x-bft-proof': made.proof,
        'signature-input': `set=${params}`,
        signature: `set=${bytes(sign(null, Buffer.from(base), key.privateKey))}`,
      },
      body: made.body,
    },
  }
}

function bytes(of: Buffer): string {
  return `:${of.toString('base64')}:`
}
