import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

function flagsIn(command: string | undefined): readonly string[] {
  return command?.match(/--[\w-]+(=\w+)?/g) ?? []
}

test('the daemon runs with the same flags of Node however it is started', () => {
  const script = flagsIn(JSON.parse(read('package.json')).scripts.start)
  expect(script).not.toEqual([])
  const bin = read('src/bin.js')
  const [first] = /^#!.*/.exec(bin) ?? []
  const later = /setFlagsFromString\('(.*)'\)/.exec(bin)?.[1]
  expect([...flagsIn(later), ...flagsIn(first)]).toEqual(script)
  expect(flagsIn(/^ENTRYPOINT .*/m.exec(read('Dockerfile'))?.[0])).toEqual(script)
})
