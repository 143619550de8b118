import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { Reader } from './reader.ts'
import { chaptersOf } from './walkthrough.ts'

describe.each(['docs/tutorial.md', 'README.md'])('a reader who follows %s from a clean checkout', (path) => {
  let reader: Reader
  beforeAll(async () => {
    reader = await Reader.sitDown()
  })
  afterAll(() => reader[Symbol.asyncDispose]())

  test.each(chaptersOf(readFileSync(join(top, path), 'utf8')))(
    'reaches each output that is stated in $title',
    async ({ steps }) => {
      for (const step of steps) expect(await reader.follow(step)).toBeUndefined()
    },
  )
})
