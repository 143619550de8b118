import { expect, test } from 'vitest'
import { EndOfTurn } from '../../src/http/respond.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('the first job of a turn is done at once, and the others together when it ends', async () => {
  const end = new EndOfTurn()
  const done: number[] = []
  for (const number of [1, 2, 3]) end.add(() => done.push(number))
  expect(done).toEqual([1])
  await turn()
  expect(done).toEqual([1, 2, 3])
  end.add(() => done.push(4))
  expect(done).toEqual([1, 2, 3, 4])
})

test('a job that is added while a turn ends belongs to the next turn', async () => {
  const end = new EndOfTurn()
  const done: string[] = []
  end.add(() => done.push('first'))
  end.add(() => {
    end.add(() => done.push('third'))
    end.add(() => done.push('fourth'))
    done.push('second')
  })
  await turn()
  expect(done).toEqual(['first', 'third', 'second'])
  await turn()
  expect(done).toEqual(['first', 'third', 'second', 'fourth'])
})
