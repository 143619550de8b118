# The runtime of the build is that of the image, so that what is built is what was tried.
FROM node:26.10.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev && mkdir state bin && ln -s ../../../app/src/bin.js bin/bft-scan-proxy

FROM node:26.10.0-slim
WORKDIR /app
COPY package.json LICENSE ./
COPY config ./config
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/src/server/ui/assets ./src/server/ui/assets
COPY --from=build /app/src/bin.js ./src/bin.js
COPY --from=build /app/bin /usr/local/bin

# The folder for scanClient.rosterFile: a volume that is new takes its owner from here.
COPY --from=build --chown=node:node /app/state /var/lib/bft-scan-proxy

# In production the network has to be chosen: NETWORK=mainnet, testnet, devnet or localnet.
ENV NODE_ENV=production HTTP_HOST=0.0.0.0 OPERATIONS_HOST=0.0.0.0 MALLOC_MMAP_THRESHOLD_=131072
EXPOSE 8080 9464
# It writes nothing: the root file system may be read-only, and all capabilities dropped.
USER node

# Whether it runs. Whether it has a roster is /readyz: no restart would bring one. Bash asks: a Node would
# take forty times as much of the processor.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/${OPERATIONS_PORT:-9464} && printf 'GET /livez HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]

# Why these flags, and MALLOC_MMAP_THRESHOLD_: docs/decisions/0014-flags-of-the-runtime.md
ENTRYPOINT ["node", "--max-semi-space-size=8", "dist/main.js"]
CMD ["serve"]

# docker build --build-arg REVISION="$(git rev-parse HEAD)" says of which commit it is.
ARG REVISION=unknown
LABEL org.opencontainers.image.title="bft-scan-proxy" \
  org.opencontainers.image.description="Trusted reads of the Canton Network: one question to many super validators' scans, one answer that a quorum agrees on." \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="docker.io/library/node:26.10.0-slim"
