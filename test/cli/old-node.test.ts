import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { top } from '../arch/sources.ts'

const run = promisify(execFile)
const knownToNode12 = ['--max-semi-space-size']

/** Runs the command on the present Node, which reports `version` as its own. */
async function on(version: string) {
  const says = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  const preload = `data:text/javascript,${encodeURIComponent(says)}`
  const args = ['--import', preload, join(top, 'src/bin.js'), '--help']
  return run(process.execPath, args).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

test.each(['12.22.12', '20.20.2', '22.23.3', '24.14.9'])(
  'on Node %s a command says which Node it needs, and nothing else',
  async (version) => {
    expect(await on(version)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `bft-scan-proxy: needs Node 24.15 or later, this is ${version}\n` +
        '`npm install --save-dev node@24` puts one into this folder, which npx then uses\n',
    })
  },
)

test.each(['24.15.0', '25.0.0', '26.10.0'])('on Node %s a command runs', async (version) => {
  expect(await on(version)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: /), stderr: '' })
})

test('the first line of the command gives no option that an old Node calls a bad one', () => {
  const [first = ''] = readFileSync(join(top, 'src/bin.js'), 'utf8').split('\n')
  const options = first.match(/ --?[\w-]+/g)?.map((option) => option.trim())
  expect(options).toEqual(['-S', ...knownToNode12])
})
