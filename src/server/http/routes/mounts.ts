import { pathOf } from '../../../core/reads/endpoint.ts'
import type { Read } from '../../../core/reads/read.ts'
import { reads } from '../../../core/reads/table.ts'
import type { Surface } from '../projection.ts'

export interface Mount {
  readonly read: Read
  readonly surface: Surface
  readonly method: 'GET' | 'POST'
  /** The path, with `{name}` for each path parameter. */
  readonly template: string
}

export const mounts: readonly Mount[] = Object.values(reads).flatMap(mountsOf)

export function honoPath(template: string): string {
  return template.replace(/\{([\w-]+)\}/g, ':$1')
}

function mountsOf(read: Read): readonly Mount[] {
  const scan = { read, surface: 'scan', method: read.method } as const
  const mounted: Mount[] = [{ ...scan, template: pathOf(read) }]
  if (read.alsoWithoutPrefix) mounted.push({ ...scan, template: read.scanPath })
  if (read.proxy !== undefined) {
    const proxy = { read, surface: 'proxy', method: read.proxy.method } as const
    mounted.push(
      { ...proxy, template: read.proxy.path },
      { ...proxy, template: `/api/validator${read.proxy.path}` },
    )
  }
  return mounted
}
