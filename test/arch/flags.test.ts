import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

function flagsIn(command: string | undefined): readonly string[] {
  return command?.match(/--[\w-]+(=\w+)?/g) ?? []
}

const settingIn = (text: string) => /\bMALLOC_MMAP_THRESHOLD_=\d+/.exec(text)?.[0]

test('the daemon runs with the same setting of malloc however it is started', () => {
  const script = settingIn(JSON.parse(read('package.json')).scripts.start)
  expect(script).toBeDefined()
  for (const other of ['src/bin.js', 'Dockerfile']) expect(settingIn(read(other))).toBe(script)
})

test('the daemon runs with the same flags of Node however it is started', () => {
  const script = flagsIn(JSON.parse(read('package.json')).scripts.start)
  expect(script).not.toEqual([])
  expect(flagsIn(/^#!.*/.exec(read('src/bin.js'))?.[0])).toEqual(script)
  expect(flagsIn(/^ENTRYPOINT .*/m.exec(read('Dockerfile'))?.[0])).toEqual(script)
})
