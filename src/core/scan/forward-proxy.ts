import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from '../../base/lib/loopback.ts'

export const tunnelCode = 'ERR_FORWARD_PROXY'

/** The options mean the same as `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` in the environment. */
export interface ProxyOptions {
  readonly httpsProxy?: string | undefined
  readonly httpProxy?: string | undefined
  /**
   * The scans to which the daemon connects directly: host names including their subdomains,
   * addresses, or address blocks such as 10.0.0.0/8. Each may end with a port. `*` means all scans.
   */
  readonly noProxy?: readonly string[]
}

export interface ForwardProxy {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly authorization: string | undefined
}

interface ScanAddress {
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

/**
 * Returns the forward proxy for connections to a scan. The result is undefined if the daemon
 * connects directly, as it does to every loopback host.
 */
export function forwardProxyTo(
  { host, port, secure }: ScanAddress,
  { httpsProxy, httpProxy, noProxy = [] }: ProxyOptions,
): ForwardProxy | undefined {
  const url = secure ? httpsProxy : httpProxy
  if (url === undefined || isLoopbackHost(host)) return undefined
  return noProxy.some((entry) => isMeant(entry, host.toLowerCase(), port)) ? undefined : forwardProxyAt(url)
}

function forwardProxyAt(text: string): ForwardProxy {
  const { protocol, hostname, port, username, password } = new URL(text)
  const secure = protocol === 'https:'
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    host: withoutBrackets(hostname),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    secure,
    authorization:
      credentials === ':' ? undefined : `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`,
  }
}

function isMeant(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true
  const [, named = entry, onlyPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? []
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false
  const meant = withoutBrackets(named.toLowerCase())
  const family = isIP(host)
  if (family !== 0) return meant === host || isInBlock(meant, host, family === 4 ? 'ipv4' : 'ipv6')
  const name = meant.replace(/^\*?\./, '')
  return name !== '' && (host === name || host.endsWith(`.${name}`))
}

function isInBlock(block: string, address: string, family: 'ipv4' | 'ipv6'): boolean {
  const [network = '', prefix = ''] = block.split('/')
  const bits = family === 'ipv4' ? 32 : 128
  if (isIP(network) !== isIP(address) || !/^\d+$/.test(prefix) || Number(prefix) > bits) return false
  const blocks = new BlockList()
  blocks.addSubnet(network, Number(prefix), family)
  return blocks.check(address, family)
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}
