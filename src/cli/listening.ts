import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../base/config/resolve.ts'
import { nameWithVariable } from '../base/config/rows.ts'

/**
 * Finds the configured addresses on which this process cannot listen. It takes the configured port
 * only if it is privileged, because a daemon may be about to take the others.
 */
export async function addressProblems(config: ListeningConfig): Promise<readonly string[]> {
  const problems = await Promise.all([config.http, config.operations].map(whyUnusable))
  const found = problems.filter((error) => error !== undefined)
  return [...new Set(found.map((error) => `${error.message}${listeningOptions(error, config)}`))]
}

async function whyUnusable({
  host,
  port,
}: Pick<Config['http'], 'host' | 'port'>): Promise<Error | undefined> {
  const server = createServer()
  try {
    server.listen(port < 1024 ? port : 0, host === '*' ? undefined : host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? undefined : (error as Error)
  } finally {
    server.close()
  }
}

/**
 * If the daemon cannot listen, returns a clause that names the option to change: `; operations.port
 * (OPERATIONS_PORT) sets this port`.
 */
export function listeningOptions(error: unknown, config: ListeningConfig): string {
  const { syscall, code, port } = error as NodeJS.ErrnoException & { readonly port?: unknown }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return ''
  const isPort = code === 'EADDRINUSE' || code === 'EACCES'
  const paths = isPort ? portsOf(config, port) : hostsOf(config, error)
  const names = paths.map(nameWithVariable)
  return names.length === 0
    ? ''
    : `; ${names.join(' and ')} ${names.length === 1 ? 'sets' : 'set'} this ${isPort ? 'port' : 'address'}`
}

type ListeningConfig = Pick<Config, 'network' | 'http' | 'operations' | 'localnet'>

function hostsOf(config: ListeningConfig, error: unknown): readonly (readonly string[])[] {
  const { address, hostname } = error as { readonly address?: unknown; readonly hostname?: unknown }
  return (['http', 'operations'] as const)
    .filter((section) => config[section].host === (address ?? hostname))
    .map((section) => [section, 'host'])
}

function portsOf(config: ListeningConfig, port: unknown): readonly (readonly string[])[] {
  const { http, operations, localnet, network } = config
  const isOfNode =
    typeof port === 'number' &&
    localnet.port !== 0 &&
    port >= localnet.port &&
    port < localnet.port + localnet.superValidators
  return [
    ...(http.port === port ? [['http', 'port']] : []),
    ...(operations.port === port ? [['operations', 'port']] : []),
    ...(network === 'localnet' && isOfNode ? [['localnet', 'port']] : []),
    ...(network === 'localnet' && localnet.controlPort === port ? [['localnet', 'controlPort']] : []),
  ]
}
