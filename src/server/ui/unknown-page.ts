import type { RouteContext } from '../http/routes/route.ts'
import { wantsPage } from '../http/send-answer.ts'
import { pageResponse } from './responses.ts'
import { unknownView } from './views/page.ts'

const apiPath = /^\/(?:\.well-known|admin|api|registry|v\d+)(?:\/|$)/

/** Answers a browser that opens a path without a page. Undefined for programs, and for paths of the API. */
export function unknownPage(c: RouteContext): Response | undefined {
  const { method, path } = c.req
  if (!['GET', 'HEAD'].includes(method) || !wantsPage(c) || apiPath.test(path)) return undefined
  return pageResponse(c, unknownView('../'.repeat(path.split('/').length - 2)).toString(), { status: 404 })
}
