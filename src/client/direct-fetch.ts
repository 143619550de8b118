import { ClientError } from './client-error.ts'
import { unreachable } from './unreachable.ts'

/**
 * Follows no redirect, because a redirect could show the question to another host, or lead from
 * https to http.
 */
export async function directFetch(base: string, path: string, request: RequestInit): Promise<Response> {
  const response = await fetch(`${base}${path}`, { ...request, redirect: 'manual' }).catch(
    (cause: unknown) => {
      throw unreachable(base, cause)
    },
  )
  const { status, type, headers } = response
  if (type !== 'opaqueredirect' && ![301, 302, 303, 307, 308].includes(status)) return response
  await response.body?.cancel()
  const to = headers.get('location')
  const where = to !== null && URL.canParse(to, base) ? ` to ${new URL(to, base).origin}` : ''
  throw new ClientError(
    'redirected',
    `${base} redirects${where}, and the client follows no redirect: its url must be the address to which it leads`,
    status === 0 ? {} : { status },
  )
}
