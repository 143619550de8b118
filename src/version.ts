import { existsSync, readFileSync, statSync } from 'node:fs'

const packageFile = new URL('../package.json', import.meta.url)

interface PackageFile {
  readonly version: string
  readonly engines: { readonly node: string }
}

const published = JSON.parse(readFileSync(packageFile, 'utf8')) as PackageFile

export const version: string = published.version

/**
 * Returns the URL of a page of this version's documents. The package, the image and the repository all use this URL.
 * @param page the file of the page, with its anchor: `operating.md#the-first-day`
 */
export function documentUrl(page: string): string {
  return `https://unpkg.com/bft-scan-proxy@${version}/docs/${page}`
}

/** The file with the commit's time, which the build writes beside the compiled code. */
const commitFile = new URL('commit-time.txt', import.meta.url)

/**
 * The time at which this version was committed, ISO 8601. If the program runs from source, this is the time at which
 * package.json last changed on this disk.
 */
export const versionTime: string = (
  existsSync(commitFile) ? new Date(readFileSync(commitFile, 'utf8').trim()) : statSync(packageFile).mtime
).toISOString()

/**
 * Returns the part of an error message that says which version of Node is needed, such as `needs Node 24.15
 * or later, this is 22.1.0`. Undefined if the version `running` is new enough.
 */
export function nodeProblem(running: string): string | undefined {
  const needed = published.engines.node.replace('>=', '')
  return isOlder(running, needed) ? `needs Node ${needed} or later, this is ${running}` : undefined
}

function isOlder(one: string, than: string): boolean {
  const [major = 0, minor = 0] = one.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = than.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}
