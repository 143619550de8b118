import { once } from 'node:events'
import { get } from 'node:http'

export async function listen(base: string) {
  const request = get(new URL('/ui/events', base))
  const [response] = await once(request, 'response')
  response.on('error', () => undefined)
  const [chunk] = await once(response, 'data')
  return { response, first: String(chunk), leave: () => request.destroy() }
}
