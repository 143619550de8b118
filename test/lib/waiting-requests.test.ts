import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { beginWaiting, endWaiting, isWaiting } from '../../src/lib/waiting-requests.ts'

test('a connection may have a hundred requests that wait, however many were answered before', () => {
  const socket = new Socket()
  for (let request = 0; request < 1_000; request++) {
    expect(beginWaiting(socket)).toBe(true)
    expect(isWaiting(socket)).toBe(true)
    endWaiting(socket)
  }
  expect(isWaiting(socket)).toBe(false)
  for (let request = 0; request < 100; request++) expect(beginWaiting(socket)).toBe(true)
  expect(socket.destroyed).toBe(false)
})

test('a connection on which one more waits is closed, and no request of it is served any more', () => {
  const socket = new Socket()
  for (let request = 0; request < 100; request++) beginWaiting(socket)
  expect(beginWaiting(socket)).toBe(false)
  expect(socket.destroyed).toBe(true)
  endWaiting(socket)
  expect(beginWaiting(socket)).toBe(false)
})
