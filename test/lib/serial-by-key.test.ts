import { expect, test } from 'vitest'
import { SerialByKey } from '../../src/base/lib/serial-by-key.ts'

function tasks() {
  const told: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  return {
    told,
    task: (name: string) => async () => {
      told.push(`${name} begins`)
      const gate = Promise.withResolvers<void>()
      gates.set(name, gate)
      await gate.promise
      told.push(`${name} ends`)
      return name
    },
    end: (name: string) => gates.get(name)?.resolve(),
    fail: (name: string) => gates.get(name)?.reject(new Error(name)),
  }
}

test('tasks with one key follow each other, also after a failure, and do not wait for other keys', async () => {
  const inTurn = new SerialByKey()
  const { told, task, end, fail } = tasks()
  const first = inTurn.run('a', task('first'))
  const second = inTurn.run('a', task('second'))
  const other = inTurn.run('b', task('other'))
  expect(told).toEqual(['first begins', 'other begins'])
  end('other')
  expect(await other).toBe('other')
  fail('first')
  await expect(first).rejects.toThrow('first')
  end('second')
  expect(await second).toBe('second')
  expect(told).toEqual(['first begins', 'other begins', 'other ends', 'second begins', 'second ends'])
})
