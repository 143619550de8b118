import type { Answer } from '../node-request.ts'
import { jsonReply, replyOf } from '../reply.ts'

const empty = replyOf(200, [])
const notReady = replyOf(503, [])

export const getVersion: Answer = (_view, { release: { version, committedAt } }) =>
  jsonReply(JSON.stringify({ version, commit_ts: committedAt }))

export const getStatus: Answer = (view, { member, uptimeMs }) => {
  if (!view.initialised) return jsonReply(JSON.stringify({ not_initialized: { active: false } }))
  const seconds = uptimeMs() / 1000
  const uptime = `${Math.floor(seconds / 60)}m ${(seconds % 60).toFixed(3)}s`
  return jsonReply(
    JSON.stringify({ success: { id: member.name, uptime, ports: {}, extra: null, active: true } }),
  )
}

export const isLive: Answer = () => empty

export const isReady: Answer = (view) => (view.initialised ? empty : notReady)

export const unknownPath: Answer = (_view, { uri, release }) => release.unknownPath(uri)
