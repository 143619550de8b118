import type { ConnectProblem, ConnectStep, Inspection } from './inspect-connection.ts'
import type { Observation } from './observation.ts'
import type { StepFinding } from './report.ts'
import { quotable, showSpan, showTime } from './texts.ts'

/** A certificate that expires within 14 days is reported as `soon`. */
const soonMs = 14 * 86_400_000

export const skipped: StepFinding = { outcome: 'skipped', word: '-', detail: '' }

export function failed(word: string, detail: string): StepFinding {
  return { outcome: 'failed', word, detail }
}

export function ok(detail = '', word = 'ok'): StepFinding {
  return { outcome: 'ok', word, detail }
}

/** The words for problems that a narrow column shows by another word than their own. */
const words: Partial<Record<ConnectProblem, string>> = {
  'no-address': 'no name',
  'no-route': 'route',
  expired: 'expired',
  'not-yet-valid': 'early',
  'other-name': 'name',
  untrusted: 'issuer',
  'no-tls': 'no TLS',
  other: 'error',
}

export type ConnectionFindings = Readonly<Record<'dns' | 'tcp' | 'tls', StepFinding>>

export function connectionFindings(
  { url, blocked, connection }: Observation,
  at: number,
): ConnectionFindings {
  const none = { dns: skipped, tcp: skipped, tls: skipped }
  if (url === null)
    return { ...none, dns: failed('no URL', 'It publishes no URL that can be asked, so it never votes.') }
  if (blocked !== null)
    return {
      ...none,
      dns: failed('blocked', `The daemon never asks ${quotable(url)}: ${quotable(blocked)}.`),
    }
  if (connection === null) return none
  const { host, hostname } = new URL(url)
  return {
    dns: dnsOf(connection, hostname),
    tcp: tcpOf(connection, host),
    tls: tlsOf(connection, hostname, at),
  }
}

function dnsOf({ dns, addresses, proxy }: Inspection, hostname: string): StepFinding {
  if (dns.kind === 'skipped') return skipped
  if (dns.kind === 'passed')
    return ok(
      proxy === null
        ? `${hostname} is at ${addresses.join(', ')}.`
        : `The forward proxy ${proxy} finds ${hostname}.`,
    )
  const detail = quotable(dns.detail)
  const says: Partial<Record<ConnectProblem, string>> = {
    blocked: `The daemon never connects there: ${detail}.`,
    timeout: `No name server answers for ${hostname}: ${detail}. Check this machine's DNS.`,
  }
  return failed(
    words[dns.problem] ?? dns.problem,
    says[dns.problem] ?? `The name ${hostname} does not resolve: ${detail}.`,
  )
}

function tcpOf({ tcp, addresses, proxy }: Inspection, host: string): StepFinding {
  if (tcp.kind === 'skipped') return skipped
  const via = proxy === null ? '' : ` through the forward proxy ${proxy}`
  if (tcp.kind === 'passed') return ok(via === '' ? '' : `Connected${via}.`)
  const where = addresses.length === 0 ? host : `${host} (${addresses.join(', ')})`
  const detail = quotable(tcp.detail)
  const says: Partial<Record<ConnectProblem, string>> = {
    timeout:
      proxy === null
        ? `${where} drops connections silently: ${detail}. Most likely this machine's address is not on its allow-list.`
        : `No connection to ${where}${via}: ${detail}. Most likely the address of the proxy is not on its allow-list, or the proxy does not answer.`,
    refused: `${where} refuses connections: its scan is down, or a firewall rejects this machine's address.`,
    reset: `${where} resets connections; a firewall may reject this machine's address.`,
    'no-route': `This machine has no route to ${where}: ${detail}.`,
    proxy: `No connection to ${where}${via}: ${detail}. The proxy may not allow it, or may not reach it.`,
  }
  return failed(
    tcp.problem === 'timeout' ? 'dropped' : (words[tcp.problem] ?? tcp.problem),
    says[tcp.problem] ?? `No connection to ${where}: ${detail}.`,
  )
}

function tlsOf(connection: Inspection, hostname: string, at: number): StepFinding {
  const { tls, certificate } = connection
  if (tls.kind === 'skipped') return skipped
  const names = quotable(certificate?.names ?? '', 80)
  const issuer = quotable(certificate?.issuer ?? '', 80)
  const seen =
    certificate === null
      ? ''
      : ` Its certificate is for ${names || 'no name'}, by ${issuer || 'nobody'}, until ${showTime(certificate.endsAt)}.`
  if (tls.kind === 'passed') {
    const left = (certificate?.endsAt ?? Number.POSITIVE_INFINITY) - at
    return left < soonMs ? ok(`The certificate ends in ${showSpan(left)}.${seen}`, 'soon') : ok(seen.trim())
  }
  return failed(words[tls.problem] ?? tls.problem, `${tlsProblem(tls, hostname)}${seen}`)
}

function tlsProblem({ problem, detail }: Extract<ConnectStep, { kind: 'failed' }>, hostname: string): string {
  const because = quotable(detail)
  const says: Partial<Record<ConnectProblem, string>> = {
    expired: 'Its certificate has expired.',
    'not-yet-valid': 'Its certificate is not valid yet; check the clock of this machine.',
    'other-name': `Its certificate is not for ${hostname}.`,
    untrusted: `This machine does not trust the issuer of its certificate: ${because}. If a proxy of your own replaces certificates, name its authority in NODE_EXTRA_CA_CERTS.`,
    'no-tls': `It does not speak TLS: ${because}.`,
    timeout: `The TLS handshake does not end: ${because}. A firewall may drop it after the connection.`,
    reset: "It closes the connection during the TLS handshake. A firewall may reject this machine's address.",
  }
  return says[problem] ?? `The TLS handshake fails: ${because}.`
}
