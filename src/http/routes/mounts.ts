import type { Read } from '../../reads/read.ts'
import { reads } from '../../reads/table.ts'
import type { Surface } from '../projection.ts'

/** A path that serves a read. */
export interface Mount {
  readonly read: Read
  readonly surface: Surface
  readonly method: 'GET' | 'POST'
  /** The path. It contains `{name}` for each path parameter. */
  readonly template: string
}

/** All paths that serve reads, derived from the table of reads. Their order has no meaning. */
export const mounts: readonly Mount[] = Object.values(reads).flatMap(mountsOf)

/** Converts a template to the syntax of Hono: `/by-name/{name}` becomes `/by-name/:name`. */
export function honoPath(template: string): string {
  return template.replace(/\{(\w+)\}/g, ':$1')
}

function mountsOf(read: Read): readonly Mount[] {
  const scan = { read, surface: 'scan', method: read.method } as const
  const mounted: Mount[] = [{ ...scan, template: `${read.base ?? '/api/scan'}${read.scanPath}` }]
  if (read.root) mounted.push({ ...scan, template: read.scanPath })
  if (read.proxy !== undefined) {
    const proxy = { read, surface: 'proxy', method: read.proxy.method } as const
    mounted.push(
      { ...proxy, template: read.proxy.path },
      { ...proxy, template: `/api/validator${read.proxy.path}` },
    )
  }
  return mounted
}
