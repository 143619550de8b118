import { SpliceError } from '../../errors/splice.ts'
import type { Registry } from '../../names/registry.ts'
import { readJsonBody } from '../body.ts'
import { type LedgerRoute, type UserDeps, userRoutes } from './route.ts'

/** The name registry, as Splice's ans-external.yaml has it. */
export function registryRoutes(deps: UserDeps & { readonly registry: Registry }): readonly LedgerRoute[] {
  const { registry } = deps
  return [
    ...userRoutes(deps, 'POST', '/v0/entry/create', 'createAnsEntry', async (user, c) => {
      const { name, url, description } = await readJsonBody(c.req.raw, ['name', 'url', 'description'])
      const request = {
        name: required('name', name),
        url: required('url', url),
        description: required('description', description),
      }
      return { status: 200, body: await registry.create(user, request) }
    }),
    ...userRoutes(deps, 'GET', '/v0/entry/all', 'listOwnAnsEntries', async (user) => ({
      status: 200,
      body: { entries: await registry.list(user) },
    })),
  ]
}

/** @throws SpliceError `malformedBody` where a member of a body is missing. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new SpliceError('malformedBody', { why: `${name} is missing` })
  return value
}
