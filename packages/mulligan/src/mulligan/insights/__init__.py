"""Every question a surface may ask, and every act it may take. Surfaces never open a store."""
