import type { RouteConfig } from '@hono/zod-openapi'

/**
 * Prepares operations for readers. Each gets a short title, made of its id, and its sentence becomes
 * the description. Of the paths that serve the same, the reference shows one, whose description names
 * the others.
 */
export function titled(routes: readonly RouteConfig[]): readonly RouteConfig[] {
  const alike = Map.groupBy(routes, sameRead)
  return routes.map((route) => {
    const group = alike.get(sameRead(route)) ?? []
    const [shown = route, ...aliases] = group.toSorted((a, b) => rankOf(a.path) - rankOf(b.path))
    const others = aliases.map(({ path }) => `\`${path}\``).join(', ')
    return {
      ...route,
      summary: titleOf(group[0]?.operationId ?? ''),
      description: `${route.summary}${others === '' || route !== shown ? '' : ` Also at ${others}.`}`,
      ...(route === shown ? {} : { 'x-scalar-ignore': true }),
    }
  })
}

function sameRead({ method, path, tags: [tag = ''] = [] }: RouteConfig): string {
  const bare = path
    .replace(/^\/api\/\w+(?=\/)/, '')
    .replace(/\/v0\/scan-proxy(?=\/registry\/)|\/scan-proxy/, '')
  return `${tag === 'proxy' ? 'scan' : tag} ${method} ${bare}`
}

function rankOf(path: string): number {
  if (/^\/v\d\/scan-proxy\/(?!registry)/.test(path)) return 0
  return path.startsWith('/api/') ? 2 : 1
}

/** Makes `Look up ANS entry by name` of `lookupAnsEntryByName`. */
function titleOf(operationId: string): string {
  const words = operationId
    .replace(/^(?:proxy|apiScan)?(?:[gG]et|post|refuse(?:Get|Post)V2)?(?=[A-Z])/, '')
    .replace(/At(?=V\d|$)/, '')
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .map((word) => (abbreviations.has(word) ? word.toUpperCase() : word.replace('lookup', 'look up')))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const abbreviations = new Set(['acs', 'ans', 'api', 'bft', 'cid', 'dso', 'id', 'lsu', 'sv'])
