#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=131072 node --max-semi-space-size=8
// Node 12 must be able to run this file, and must know the option above. Only then can this file tell the user of an
// old Node which Node the package needs.
import { existsSync, readFileSync, statSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const needed = engines.node.replace('>=', '')
const { node: running } = process.versions

if (isOlder(running, needed)) {
  process.stderr.write(
    `bft-scan-proxy: needs Node ${needed} or later, this is ${running}\n` +
      '`npm install --save-dev node@24` puts one into this folder, which npx then uses\n',
  )
  process.exitCode = 1
} else if (isNoFile(process.env.NODE_EXTRA_CA_CERTS)) {
  process.stderr.write(
    'bft-scan-proxy: NODE_EXTRA_CA_CERTS must name a file, and no pipe, device or folder\n',
  )
  process.exitCode = 78
} else if (!hasFolder()) {
  process.stderr.write('bft-scan-proxy: the working folder does not exist any more\n')
  process.exitCode = 1
} else {
  // Worker threads read NODE_COMPILE_CACHE, too. A cache in the package's folder is safe: whoever can write to that
  // folder can change the code itself.
  const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || compiled
  module.enableCompileCache()
  const built = new URL('../dist/main.js', import.meta.url)
  const source = new URL('./main.ts', import.meta.url)
  import((existsSync(built) ? built : source).href)
}

/** Node reads the certificates in a thread, which a pipe would keep from ending: the process could not end either. */
function isNoFile(path) {
  try {
    return path !== undefined && path !== '' && !statSync(path).isFile()
  } catch {
    return false
  }
}

function hasFolder() {
  try {
    return process.cwd() !== ''
  } catch {
    return false
  }
}

function isOlder(version, than) {
  const [major, minor] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = than.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}
