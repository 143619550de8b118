import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { configurationFiles } from '../../.ci/generate-configuration.ts'
import { optionAt, rows } from '../../src/base/config/rows.ts'
import { configOf } from './config.ts'

const root = new URL('../../', import.meta.url)

test.each(Object.entries(configurationFiles()))('%s is in step with the schema', async (path, text) => {
  expect(await readFile(new URL(path, root), 'utf8')).toBe(text)
})

test('default.yaml has the same values as the code without it', () => {
  expect(configOf(parse(configurationFiles()['config/default.yaml'] as string))).toEqual(configOf({}))
})

test.each(['default', 'production', 'mainnet', 'testnet', 'devnet', 'custom-environment-variables'])(
  'every key of %s.yaml stands below one short sentence and is known',
  async (name) => {
    const lines = (await readFile(new URL(`config/${name}.yaml`, root), 'utf8')).split('\n')
    const path: string[] = []
    for (const [index, line] of lines.entries()) {
      const [, margin = '', key] = /^( *)(\w+):/.exec(line) ?? []
      if (key === undefined) continue
      path.splice(margin.length / 2, path.length, key)
      const isSection = rows.some((row) => row.path.join('.') === path.join('.'))
      expect(isSection || optionAt(path) !== undefined, line).toBe(true)
      if (name !== 'custom-environment-variables') expect(lines[index - 1], line).toMatch(/^ *# .*\.$/)
    }
  },
)

test('every option has a sentence, and a default or the effect of leaving it out', () => {
  for (const row of rows) {
    if (row.at !== 'option') continue
    const key = row.path.join('.')
    expect(row.says, key).toMatch(/^\S.*\.$/)
    expect(row.default !== undefined || row.unset !== undefined, key).toBe(true)
  }
})
