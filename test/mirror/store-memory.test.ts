import { expect, test } from 'vitest'
import { heapUsed } from '../support/heap.ts'
import { contentOf } from './contents.ts'
import { loadFrom, mirrorFolder, writeTo } from './mirror-folder.ts'

test('a name that was loaded from the file takes at most 2 KiB of memory', async ({ annotate }) => {
  const names = 20_000
  await using own = await mirrorFolder()
  await writeTo(own.file, contentOf(names, 1))
  const before = await heapUsed()
  const content = await loadFrom(own.file)
  const each = ((await heapUsed()) - before) / names
  expect(content?.set.entries.length).toBe(names)
  expect(each).toBeGreaterThan(100)
  expect(each).toBeLessThan(2_048)
  await annotate(`${Math.round(each)} bytes a name`)
})
