import type { Random } from '../../src/base/lib/random.ts'

export function pick<Value>(random: Random, from: readonly Value[]): Value {
  return from[Math.floor(random() * from.length)] as Value
}

export function shuffled<Value>(random: Random, list: readonly Value[]): readonly Value[] {
  return list
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value)
}
