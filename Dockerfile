# One image for all four processes and the commands; docker-compose.yml says which one a container runs.
FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
# Production dependencies only: the local stack's engines are devDependencies.
RUN npm ci --omit=dev && npm cache clean --force
COPY . .
# The code is root's and read-only to the process, which keeps nothing on its own disk.
USER node
EXPOSE 8080
CMD ["node", "ingest/main.ts"]
