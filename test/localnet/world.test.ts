import { describe, expect, test } from 'vitest'
import { isoTime, microsOf } from '../../src/localnet/world/instant.ts'
import { worldView } from '../../src/localnet/world/view.ts'
import { World } from '../../src/localnet/world/world.ts'
import { ManualClock } from '../support/manual-clock.ts'

const minute = 60_000
const names = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name)

function freshWorld({ seed = 1, count = 4, acronym = 'cns' } = {}) {
  const clock = new ManualClock()
  const superValidators = Array.from({ length: count }, (_, index) => ({
    name: `sv-${index + 1}`,
    url: `http://127.0.0.1:${5000 + index}`,
  }))
  const world = new World({ seed, acronym, superValidators }, { clock })
  return { clock, world, truth: worldView(world) }
}

describe('a fresh world', () => {
  test('is the same for the same seed and clock, and another one for another seed', () => {
    const all = (seed: number) => freshWorld({ seed }).truth.entries('', 1000)
    expect(all(7)).toEqual(all(7))
    expect(all(7)).not.toEqual(all(8))
    expect(names(all(7))).toEqual(names(all(8)))
  })

  test('keeps its ids when it starts at another time', () => {
    const clock = new ManualClock(Date.UTC(2027, 5, 5))
    const later = new World({ seed: 1, acronym: 'cns', superValidators: [] }, { clock })
    const sooner = new World({ seed: 1, acronym: 'cns', superValidators: [] }, { clock: new ManualClock() })
    expect(later.dsoParty).toBe(sooner.dsoParty)
    expect(later.ansRules.contract.contract_id).toBe(sooner.ansRules.contract.contract_id)
    expect(later.ansRules.contract.created_at).not.toBe(sooner.ansRules.contract.created_at)
  })

  test('holds dozens of user entries whose names the name service would take', () => {
    const users = freshWorld()
      .truth.entries('', 1000)
      .filter(({ contract_id }) => contract_id !== null)
    expect(users.length).toBeGreaterThanOrEqual(48)
    for (const { name, url, description } of users) {
      expect(name).toMatch(/^[a-z0-9_-]{1,45}\.unverified\.cns$/)
      expect(url === '' || new URL(url).protocol === 'https:').toBe(true)
      expect(description.length).toBeLessThanOrEqual(140)
    }
    expect(new Set(names(users)).size).toBe(users.length)
  })

  test('has owners with several names, and names that end within minutes', () => {
    const { clock, truth } = freshWorld()
    const users = truth.entries('', 1000).filter(({ contract_id }) => contract_id !== null)
    expect(new Set(users.map(({ user }) => user)).size).toBeLessThan(users.length - 10)
    clock.advance(10 * minute)
    const left = truth.entries('', 1000).filter(({ contract_id }) => contract_id !== null)
    expect(users.length - left.length).toBe(4)
    expect(truth.entryByName('kite-labs-staging.unverified.cns')).toBeUndefined()
  })

  test('names end with its acronym', () => {
    const { truth } = freshWorld({ acronym: 'ans' })
    expect(truth.entryByName('dso.ans')).toMatchObject({ contract_id: null, url: '', expires_at: null })
    expect(truth.entryByName('alice.unverified.ans')).toBeDefined()
    expect(truth.entryByName('dso.cns')).toBeUndefined()
    expect(truth.ansRules().contract.payload).toMatchObject({ config: { descriptionPrefix: 'ANS entry: ' } })
  })
})

describe('a view of the world', () => {
  test('lists user entries as a database sorts them, then the DSO, then super validators by party id', () => {
    const { truth, world } = freshWorld({ count: 11 })
    const listed = names(truth.entries('', 1000))
    const users = listed.slice(0, -12)
    expect(users.indexOf('acme-labs.unverified.cns')).toBeLessThan(users.indexOf('acmelabs.unverified.cns'))
    expect(users).not.toEqual(users.toSorted())
    const inDatabaseOrder = ['delta-1', 'delta1', 'delta_1'].map((label) => `${label}.unverified.cns`)
    expect(users.filter((name) => name.startsWith('delta'))).toEqual(inDatabaseOrder)
    const byParty = world.members.map(({ party }) => party).toSorted()
    expect(listed.at(-12)).toBe('dso.cns')
    expect(
      truth
        .entries('', 1000)
        .slice(-11)
        .map(({ user }) => user),
    ).toEqual(byParty)
    expect(listed.at(-11)).toBe('sv-10.sv.cns')
  })

  test('with the other collation lists by code point', () => {
    const { world } = freshWorld()
    const view = worldView(world, { lagMs: 0, skewMs: 0, collation: 'code-point' })
    const users = names(view.entries('', 1000)).slice(0, -5)
    expect(users).toEqual(users.toSorted())
  })

  test('fills a page with user entries before any synthetic one', () => {
    const { truth } = freshWorld()
    expect(names(truth.entries('', 3))).toHaveLength(3)
    expect(names(truth.entries('s', 2))).toEqual(['sable.unverified.cns', 'sv-1.sv.cns'])
    expect(names(truth.entries('sv-', 1))).toEqual(['sv-1.sv.cns'])
    expect(truth.entries('S', 1000)).toEqual([])
  })

  test('gives a party its first name, and a super validator its synthetic entry whatever else it owns', () => {
    const { clock, truth, world } = freshWorld()
    const owner = truth.entryByName('acme.unverified.cns')?.user ?? ''
    expect(truth.entryByParty(owner)?.name).toBe('acme-2.unverified.cns')
    const [first] = world.members
    const user = first?.party ?? ''
    world.put({ name: 'aaa.unverified.cns', user, expiresAt: clock.wall() + minute })
    expect(truth.entryByParty(user)?.name).toBe('sv-1.sv.cns')
  })

  test('knows a super validator by its lower-case name alone', () => {
    const { truth } = freshWorld()
    expect(truth.entryByName('sv-2.sv.cns')?.contract_id).toBeNull()
    expect(truth.entryByName('SV-2.sv.cns')).toBeUndefined()
  })

  test('holds an entry up to the very microsecond of its end', () => {
    const { clock, world, truth } = freshWorld()
    world.put({ name: 'brief.unverified.cns', user: 'x::1220', expiresAt: clock.wall() + 1 })
    clock.advance(1)
    expect(truth.entryByName('brief.unverified.cns')).toBeDefined()
    clock.advance(1)
    expect(truth.entryByName('brief.unverified.cns')).toBeUndefined()
  })
})

describe('a world that changes', () => {
  test('shows a new entry at once, and later to a node that lags', () => {
    const { clock, world, truth } = freshWorld()
    const behind = worldView(world, { lagMs: 5000, skewMs: 0, collation: 'linguistic' })
    const put = world.put({ name: 'new.unverified.cns', user: 'x::1220', expiresAt: clock.wall() + minute })
    expect(truth.entryByName('new.unverified.cns')).toBe(put)
    expect(behind.entryByName('new.unverified.cns')).toBeUndefined()
    expect(names(behind.entries('new', 10))).toEqual([])
    clock.advance(5000)
    expect(behind.entryByName('new.unverified.cns')).toBe(put)
  })

  test('gives a renewed entry another contract and a later end, and a node that lags the old one', () => {
    const { clock, world, truth } = freshWorld()
    const behind = worldView(world, { lagMs: 5000, skewMs: 0, collation: 'linguistic' })
    const before = truth.entryByName('bob.unverified.cns')
    const renewed = world.renew('bob.unverified.cns', clock.wall() + 90 * 24 * 60 * minute)
    expect(renewed).toMatchObject({ name: before?.name, user: before?.user, url: before?.url })
    expect(renewed.contract_id).not.toBe(before?.contract_id)
    expect(truth.entryByName('bob.unverified.cns')).toBe(renewed)
    expect(behind.entryByName('bob.unverified.cns')).toBe(before)
    expect(names(behind.entries('bob', 10))).toEqual(['bob.unverified.cns'])
  })

  test('forgets a removed entry, and keeps it for a node that lags', () => {
    const { clock, world, truth } = freshWorld()
    const behind = worldView(world, { lagMs: 5000, skewMs: 0, collation: 'linguistic' })
    world.remove('bob.unverified.cns')
    expect(truth.entryByName('bob.unverified.cns')).toBeUndefined()
    expect(behind.entryByName('bob.unverified.cns')).toBeDefined()
    expect(() => world.remove('bob.unverified.cns')).toThrow('no entry has the name bob.unverified.cns')
    expect(() => world.renew('bob.unverified.cns', clock.wall())).toThrow(RangeError)
  })

  test('takes a change that is dated back as one that every node has seen', () => {
    const { clock, world } = freshWorld()
    const behind = worldView(world, { lagMs: 5000, skewMs: 0, collation: 'linguistic' })
    const at = clock.wall() - minute
    world.put({ name: 'bob.unverified.cns', user: 'x::1220', expiresAt: clock.wall() + minute }, at)
    expect(behind.entryByName('bob.unverified.cns')?.user).toBe('x::1220')
  })
})

test('times are printed with as few fraction digits as they need', () => {
  const second = microsOf(Date.UTC(2026, 2, 1, 12))
  expect(isoTime(second)).toBe('2026-03-01T12:00:00Z')
  expect(isoTime(second + 120_000)).toBe('2026-03-01T12:00:00.12Z')
  expect(isoTime(second + 7)).toBe('2026-03-01T12:00:00.000007Z')
})
