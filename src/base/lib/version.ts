import { existsSync, readFileSync, statSync } from 'node:fs'

const packageFile = new URL('../../../package.json', import.meta.url)

interface PackageFile {
  readonly version: string
  readonly engines: { readonly node: string }
}

const published = JSON.parse(readFileSync(packageFile, 'utf8')) as PackageFile

export const version: string = published.version

/** The build writes the time of the commit into this file. */
const commitFile = new URL('../../commit-time.txt', import.meta.url)

/** From source, this is the time at which package.json last changed on this disk. */
export const versionTime: string = (
  existsSync(commitFile) ? new Date(readFileSync(commitFile, 'utf8').trim()) : statSync(packageFile).mtime
).toISOString()

/** Returns a part of an error message, such as `needs Node 24.15 or later, this is 22.1.0`. */
export function nodeProblem(running: string): string | undefined {
  const needed = published.engines.node.replace('>=', '')
  return isOlder(running, needed) ? `needs Node ${needed} or later, this is ${running}` : undefined
}

function isOlder(one: string, than: string): boolean {
  const [major = 0, minor = 0] = one.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = than.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}
