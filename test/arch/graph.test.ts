import { expect, test } from 'vitest'
import { cycles, type Graph, reached } from './graph.ts'

const graph = (edges: Readonly<Record<string, readonly string[]>>): Graph => new Map(Object.entries(edges))

test('a way that comes back is found', () => {
  expect(cycles(graph({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual([['b', 'c', 'b']])
})

test('two ways to the same place are no cycle', () => {
  expect(cycles(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([])
})

test('a name that leads to itself is a cycle', () => {
  expect(cycles(graph({ a: ['a'] }))).toEqual([['a', 'a']])
})

test('a name is reached through other names', () => {
  expect([...reached(graph({ a: ['b'], b: ['c'], d: ['a'] }), ['a'])].sort()).toEqual(['a', 'b', 'c'])
})
