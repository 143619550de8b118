import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { type Grouped, RequestGroup } from '../../src/core/scan/node.ts'
import { ManualClock } from '../support/manual-clock.ts'

/** The requests of the group record how they end, and then leave the group as real requests do. */
function open() {
  const clock = new ManualClock()
  const caller = new AbortController()
  const group = new RequestGroup(caller.signal, clock)
  const ends: string[] = []
  const request = (name: string): Grouped => {
    const end = (how: string) => {
      ends.push(`${name} ${how}`)
      group.remove(own)
    }
    const own: Grouped = { expire: () => end('expired'), abort: (reason) => end(`aborted: ${reason}`) }
    return own
  }
  const listeners = () => getEventListeners(caller.signal, 'abort').length
  return { clock, caller, group, ends, request, listeners }
}

describe('The requests of one read', () => {
  test('expire each at its own time, whatever the order in which they began', () => {
    const { clock, group, request, ends, listeners } = open()
    group.add(request('late'), 300)
    group.add(request('first'), 100)
    clock.advance(50)
    group.add(request('second'), 100)
    clock.advance(49)
    expect(ends).toEqual([])
    clock.advance(1)
    expect(ends).toEqual(['first expired'])
    clock.advance(50)
    expect(ends).toEqual(['first expired', 'second expired'])
    clock.advance(150)
    expect(ends).toEqual(['first expired', 'second expired', 'late expired'])
    expect([clock.waiting, listeners()]).toEqual([0, 0])
  })

  test('wait for no time that is past when the timer was late', () => {
    const waits: number[] = []
    let now = 0
    let ring = () => {}
    const after = (ms: number, run: () => void) => {
      waits.push(ms)
      ring = run
      return () => {}
    }
    const clock = { now: () => now, wall: () => 0, after }
    const late = new RequestGroup(new AbortController().signal, clock)
    const ends: string[] = []
    const request = (name: string): Grouped => ({
      expire() {
        ends.push(name)
        late.remove(this)
      },
      abort: () => {},
    })
    late.add(request('first'), 100)
    now = 1
    late.add(request('second'), 100)
    now = 150
    ring()
    ring()
    expect(waits).toEqual([100, 0])
    expect(ends).toEqual(['first', 'second'])
  })
})
